import { median, type Sample, type Samples } from './rounds.ts'

/**
 * A figure with what it is compared to; without a baseline it is the value itself. `atMost` figures
 * are better when they are smaller.
 */
export type Figure = {
  figure: string
  of: string
  baseline?: string
  value: 'perSecond' | 'p95Ms' | 'p99Ms'
  must?: number
  aim: number
  atMost?: boolean
}

export type FigureResult = Figure & { ratio: number; low: number; high: number; verdict: string }

export function compare(samples: Samples, figures: Figure[]): FigureResult[] {
  return figures.map((figure) => {
    const ours = samples.get(figure.of)!
    const theirs = figure.baseline === undefined ? undefined : samples.get(figure.baseline)!
    const ratios = ours.map(
      (one, round) => one[figure.value] / (theirs ? theirs[round]![figure.value] : 1),
    )
    const ratio = median(ratios)
    return {
      ...figure,
      ratio,
      low: Math.min(...ratios),
      high: Math.max(...ratios),
      verdict: verdictOf(ratio, figure),
    }
  })
}

function verdictOf(ratio: number, { must, aim, atMost }: Figure): string {
  const reaches = (target: number) => (atMost ? ratio <= target : ratio >= target)
  if (reaches(aim)) return 'aim'
  return must === undefined || reaches(must) ? 'must' : 'short'
}

export function medians(samples: Sample[]) {
  const of = (pick: (sample: Sample) => number) => median(samples.map(pick))
  return {
    perSecond: of((s) => s.perSecond),
    p50Ms: of((s) => s.p50Ms),
    p95Ms: of((s) => s.p95Ms),
    p99Ms: of((s) => s.p99Ms),
    serverMicros: of((s) => s.serverMicros),
    databaseMicros: of((s) => s.databaseMicros),
  }
}

export function figuresTable(results: FigureResult[]): string {
  const rows = results.map(({ figure, baseline, ratio, low, high, must, aim, atMost, verdict }) => {
    const target = (n: number | undefined) => (n === undefined ? '–' : `${atMost ? '≤' : '≥'} ${n}`)
    const range = `${low.toFixed(2)}–${high.toFixed(2)}`
    return [figure, baseline ?? '–', ratio.toFixed(2), range, target(must), target(aim), verdict]
  })
  return markdown(['Figure', 'Baseline', 'Ratio or value', 'Range', 'Must', 'Aim', 'Reached'], rows)
}

export function samplesTable(samples: Samples): string {
  const rows = [...samples].map(([name, list]) => {
    const { perSecond, p50Ms, p95Ms, p99Ms, serverMicros, databaseMicros } = medians(list)
    const micros = (n: number) => (n < 1 ? '–' : n.toFixed(0))
    const times = [p50Ms.toFixed(2), p95Ms.toFixed(2), p99Ms.toFixed(2)]
    return [name, perSecond.toFixed(0), ...times, micros(serverMicros), micros(databaseMicros)]
  })
  const head = [
    'Measured (medians)',
    'per s',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'server µs',
    'database µs',
  ]
  return markdown(head, rows)
}

function markdown(head: string[], rows: string[][]): string {
  const widths = head.map((_, place) =>
    Math.max(...[head, ...rows].map((row) => row[place]!.length)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, place) => cell.padEnd(widths[place]!)).join(' | ')} |`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(head), rule, ...rows.map(line)].join('\n')
}
