export type Series = {
  name: string
  /** One for each label; null draws nothing. */
  values: (number | null)[]
  /** Bars stand on each other; a dashed line is a guess. */
  kind: 'bars' | 'line' | 'steps' | 'dashed'
  /** A name of palette.css, such as --series-1. */
  colour: string
}

export type ChartProps = {
  /** The chart in a sentence, for those who do not see it. */
  label: string
  labels: string[]
  series: Series[]
  /** A value as it is read, such as 3.2 TRX. */
  words(value: number): string
  /** What the chart will show, while there is nothing to draw. */
  empty?: string
  /** The label to point out, and its text. */
  marks?: { at: number; words: string }[]
  height?: number
  /** The top of a column was moved to this value. */
  onDrag?(at: number, value: number): void
}

export type PlotProps = Omit<ChartProps, 'label' | 'empty'> & {
  height: number
  onHover(at: number | null): void
}
