import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'

export type Series = {
  name: string
  /** One for each label; null draws nothing. */
  values: (number | null)[]
  /** Bars stand on each other; a dashed line is a guess. */
  kind: 'bars' | 'line' | 'steps' | 'dashed'
  /** A name of palette.css, such as --series-1. */
  colour: string
}

type Props = {
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

export type PlotProps = Omit<Props, 'label' | 'empty'> & {
  height: number
  onHover(at: number | null): void
}

// The library is loaded by pages that have a chart.
const Plot = lazy(() => import('./Plot.tsx'))

/** A chart with its scale; the figures of a column on hover, and all of them as a table. */
export function Chart({ label, empty, height = 200, ...props }: Props) {
  const [hovered, setHovered] = useState<number | null>(null)
  const { labels, series, words } = props
  const isEmpty = series.every(({ values }) => values.every((value) => !value))
  if (isEmpty && empty) return <p className="soft chart-empty">{empty}</p>
  const at = hovered ?? undefined
  return (
    <div className="chart">
      <p className="legend" aria-hidden>
        {series.map(({ name, values, colour }) => (
          <span key={name}>
            <i className={colour.slice(2)} />
            {name}
            {at !== undefined && values[at] != null && <b>{words(values[at])}</b>}
          </span>
        ))}
        <span className="soft">{at === undefined ? '' : labels[at]}</span>
      </p>
      <div role="img" aria-label={label}>
        <Suspense fallback={<Skeleton height={height} />}>
          <Plot {...props} height={height} onHover={setHovered} />
        </Suspense>
      </div>
      <Figures labels={labels} series={series} words={words} />
    </div>
  )
}

function Figures({ labels, series, words }: Pick<Props, 'labels' | 'series' | 'words'>) {
  return (
    <details className="figures">
      <summary>Figures</summary>
      <div className="scroll">
        <table className="rows">
          <thead>
            <tr>
              <th />
              {series.map(({ name }) => (
                <th key={name} className="right">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((row, at) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {series.map(({ name, values }) => (
                  <td key={name} className="right">
                    {values[at] == null ? '–' : words(values[at])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
