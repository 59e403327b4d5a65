import { median } from './rounds.ts'

/** One line of the table, the same for every suite. */
export type Row = {
  figure: string
  /** What it is compared with. Without a unit the value is the ratio to it. */
  baseline?: string
  unit?: 'ms' | 's' | 'MB' | '/s' | '%'
  value?: number
  /** Lowest of the rounds, where there are several. */
  low?: number
  high?: number
  must?: number
  aim?: number
  /** Whether smaller is better. */
  atMost?: boolean
  /** Why there is no value. */
  lacking?: string
}

/** The options of a suite; it has its own defaults for rounds and seconds. */
export type Asked = {
  rounds: number | undefined
  seconds: number | undefined
  /** Number of orders that the lists are read from, or of the year that is reported. */
  rows: number
  /** Orders a second in the stream of deliveries. */
  rate: number
  /** Part of its full size that an old service is generated in. */
  scale: number
  only: string
  profile: string | undefined
  tell(line: string): void
}

export type Handed = {
  rows: Row[]
  /** Sentences that belong to the rows. */
  remarks: string[]
  /** How the rows were measured; printed when the suite runs alone. */
  measured?: string
  /** Only written to the file. */
  details?: unknown
}

export type Suite = (asked: Asked) => Promise<Handed>

export function spread(values: number[]): Required<Pick<Row, 'value' | 'low' | 'high'>> {
  return { value: median(values), low: Math.min(...values), high: Math.max(...values) }
}

export function quantile(values: number[], part: number): number {
  const place = Math.min(values.length - 1, Math.floor(values.length * part))
  return values.toSorted((a, b) => a - b)[place]!
}

export function reachedBy({ value, must, aim, atMost }: Row): string {
  if (value === undefined) return 'missing'
  const reaches = (target: number) => (atMost ? value <= target : value >= target)
  if (aim !== undefined && reaches(aim)) return 'aim'
  if (must === undefined) return aim === undefined ? '–' : 'below aim'
  return reaches(must) ? 'must' : 'SHORT'
}

export function rowsTable(rows: Row[]): string {
  const lines = rows.map((row) => {
    const { figure, baseline = '–', value, low, high, unit = '', must, aim, atMost } = row
    const space = unit === '/s' ? '' : ' '
    const tell = (n: number) => (unit === '' ? digits(n) : `${digits(n)}${space}${unit}`)
    const target = (n: number | undefined) =>
      n === undefined ? '–' : `${atMost ? '≤' : '≥'} ${tell(n)}`
    const range = low === undefined || high === undefined ? '–' : `${digits(low)}–${digits(high)}`
    return [
      figure,
      baseline,
      value === undefined ? 'missing' : tell(value),
      range,
      target(must),
      target(aim),
      row.lacking ?? reachedBy(row),
    ]
  })
  return table(['Figure', 'Baseline', 'Ratio or value', 'Range', 'Must', 'Aim', 'Reached'], lines)
}

/** Three significant digits; targets keep those they have. */
function digits(n: number): string {
  const places = Math.abs(n) >= 100 ? 0 : Math.abs(n) >= 10 ? 1 : 2
  return Number(n.toFixed(places)).toLocaleString('en-US', { maximumFractionDigits: 2 })
}

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, place) =>
    Math.max(...[head, ...rows].map((row) => row[place]!.length)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, place) => cell.padEnd(widths[place]!)).join(' | ')} |`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [line(head), rule, ...rows.map(line)].join('\n')
}
