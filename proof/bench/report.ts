import { median, type Sample, type Samples } from './rounds.ts'
import { type Row, spread, table } from './row.ts'

/** A row of variants measured in rounds; without a baseline it is the value itself. */
export type Figure = Pick<Row, 'figure' | 'must' | 'aim' | 'atMost'> & {
  of: string
  baseline?: string
  value: 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms'
}

/** `known`: every variant that can run here, requested or not. */
export function compare(samples: Samples, figures: Figure[], known: Set<string>): Row[] {
  return figures.flatMap(({ of, baseline, value, ...figure }): Row[] => {
    const ours = samples.get(of)
    if (!ours) return []
    if (baseline === undefined) {
      return [{ ...figure, unit: 'ms', ...spread(ours.map((one) => one[value])) }]
    }
    const theirs = samples.get(baseline)
    if (theirs) {
      const ratios = ours.map((one, round) => one[value] / theirs[round]![value])
      return [{ ...figure, baseline, ...spread(ratios) }]
    }
    return known.has(baseline) ? [] : [{ ...figure, baseline, lacking: 'no baseline here' }]
  })
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
  return table(head, rows)
}

/**
 * Orders each variant directly before its first baseline, the other baselines last: the machine's
 * speed may change by half within a minute.
 */
export function sideBySide<Named extends { name: string }>(
  variants: readonly Named[],
  figures: readonly Figure[],
): Named[] {
  const pairs = variants.flatMap((variant) => {
    const baseline = figures.find(({ of }) => of === variant.name)?.baseline
    return baseline ? [variant, ...variants.filter(({ name }) => name === baseline)] : []
  })
  return [...new Set([...pairs, ...variants])]
}
