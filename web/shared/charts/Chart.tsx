import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Skeleton } from '../Page.tsx'
import type { ChartProps } from './series.ts'

/** How far below the screen a chart is drawn already. */
const NEAR = '200px'
// The library is loaded by pages that have a chart.
const Plot = lazy(() => import('./Plot.tsx'))

/** A chart with its scale; the figures of a column on hover, and all of them as a table. */
export function Chart({ label, empty, height = 200, ...props }: ChartProps) {
  const [hovered, setHovered] = useState<number | null>(null)
  const [place, isNear] = useNear()
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
      <div role="img" aria-label={label} ref={place} style={{ minHeight: height }}>
        {isNear && (
          <Suspense fallback={<Skeleton height={height} />}>
            <Plot {...props} height={height} onHover={setHovered} />
          </Suspense>
        )}
      </div>
      <Figures labels={labels} series={series} words={words} />
    </div>
  )
}

/** True once the place is on the screen, or nearly: what nobody has scrolled to is not drawn. */
function useNear() {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        seen.disconnect()
        setNear(true)
      },
      { rootMargin: NEAR },
    )
    if (place.current) seen.observe(place.current)
    return () => seen.disconnect()
  }, [])
  return [place, isNear] as const
}

type FiguresProps = Pick<ChartProps, 'labels' | 'series' | 'words'>

/** Its rows are made when it is opened: there are more of them than of anything else on a page. */
function Figures(props: FiguresProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Figures</summary>
      {isOpen && <FigureRows {...props} />}
    </details>
  )
}

function FigureRows({ labels, series, words }: FiguresProps) {
  return (
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
  )
}
