import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { axisWords } from './axis.ts'
import type { PlotProps, Series } from './series.ts'

const FONT = '12px Inter, system-ui, sans-serif'
/** Room for a figure beside the vertical axis, in pixels. */
const AXIS_WIDTH = 56
const AXIS_HEIGHT = 26
/** Of a letter of a label, and between two labels. */
const LETTER_WIDTH = 7
const LABEL_GAP = 20
const IDLE_MS = 500

/** The drawing of a chart, as wide as its place. Drawn again when the figures or the theme change. */
export default function Plot(props: PlotProps) {
  const { labels, height, onHover, onDrag } = props
  const place = useElementSize()
  const scheme = useComputedColorScheme()
  const drawn = useRef<uPlot>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const isFirst = useRef(true)
  const latest = useRef(props)
  latest.current = props
  const { width } = place
  const figures = JSON.stringify([labels, props.series, props.marks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: figures and scheme stand for what is drawn
  useEffect(() => {
    if (width === 0) return
    const draw = () => {
      drawn.current = new uPlot(
        optionsOf(latest.current, { width, height, colour: colourOf(canvas.current!) }),
        dataOf(latest.current),
        canvas.current!,
      )
    }
    // The first drawing waits until the page is usable; a later one replaces it at once.
    const waiting = isFirst.current ? requestIdleCallback(draw, { timeout: IDLE_MS }) : undefined
    if (!isFirst.current) draw()
    isFirst.current = false
    return () => {
      if (waiting !== undefined) cancelIdleCallback(waiting)
      drawn.current?.destroy()
    }
  }, [figures, scheme, width, height])

  /** The column under the pointer. */
  const columnOf = (event: PointerEvent): { at: number; value: number } | undefined => {
    const plot = drawn.current
    if (!plot) return undefined
    const { left, top } = plot.over.getBoundingClientRect()
    const at = Math.floor(plot.posToVal(event.clientX - left, 'x') + (isStepped(props) ? 0 : 0.5))
    const value = plot.posToVal(event.clientY - top, 'y')
    return at >= 0 && at < labels.length ? { at, value } : undefined
  }
  return (
    <div
      ref={place.ref}
      className={onDrag ? 'plot dragged' : 'plot'}
      style={{ height }}
      onPointerDown={(event) => onDrag && event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        const column = columnOf(event)
        onHover(column?.at ?? null)
        if (column && onDrag && event.buttons === 1) onDrag(column.at, column.value)
      }}
      onPointerLeave={() => onHover(null)}
    >
      <div ref={canvas} />
    </div>
  )
}

const isStepped = ({ series }: PlotProps) => series.some(({ kind }) => kind === 'steps')

/** A canvas takes no variables, so each colour is read from an element that has it. */
function colourOf(place: HTMLElement) {
  return (name: string): string => {
    const probe = place.appendChild(document.createElement('i'))
    probe.style.color = `var(${name})`
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** Bars stand on those before them; the tallest is drawn first. */
function stacked(series: Series[]): Series[] {
  const sums = new Map<number, number>()
  const raised = series.map((one) => {
    if (one.kind !== 'bars') return one
    const values = one.values.map((value, at) => {
      sums.set(at, (sums.get(at) ?? 0) + (value ?? 0))
      return sums.get(at)!
    })
    return { ...one, values }
  })
  const isBars = ({ kind }: Series) => kind === 'bars'
  return [...raised.filter(isBars).reverse(), ...raised.filter((one) => !isBars(one))]
}

function dataOf(props: PlotProps): uPlot.AlignedData {
  const columns = props.labels.map((_, at) => at)
  const series = stacked(props.series).map(({ values }) => values)
  // The last step needs an end.
  if (!isStepped(props)) return [columns, ...series]
  return [
    [...columns, columns.length],
    ...series.map((values) => [...values, values.at(-1) ?? null]),
  ]
}

type Ground = { width: number; height: number; colour(name: string): string }

function optionsOf(props: PlotProps, { width, height, colour }: Ground): uPlot.Options {
  const { labels, marks = [] } = props
  const ink = colour('--soft')
  const grid = { stroke: colour('--line'), width: 1 }
  const edge = isStepped(props) ? 0 : 0.5
  const hasBars = props.series.some(({ kind }) => kind === 'bars')
  const longest = Math.max(...labels.map((label) => label.length))
  const room = (width - AXIS_WIDTH) / (longest * LETTER_WIDTH + LABEL_GAP)
  const every = Math.max(1, Math.ceil(labels.length / room))
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-edge, labels.length - edge] },
      y: { range: (_plot, low, high) => rangeOf(low, high) },
    },
    series: [{}, ...stacked(props.series).map((one) => lookOf(one, colour(one.colour), hasBars))],
    axes: [
      {
        stroke: ink,
        font: FONT,
        size: AXIS_HEIGHT,
        grid: { show: false },
        ticks: { show: false },
        splits: () => labels.map((_, at) => at).filter((at) => at % every === 0),
        // Movements of one minute have one label.
        values: (_plot, splits) =>
          splits.map((at, i) => (labels[at] === labels[splits[i - 1]!] ? '' : (labels[at] ?? ''))),
      },
      {
        stroke: ink,
        font: FONT,
        size: AXIS_WIDTH,
        grid,
        ticks: { show: false },
        ...(isWhole(props) && { incrs: WHOLE_STEPS }),
        values: (_plot, splits) => axisWords(splits),
      },
    ],
    hooks: { draw: [(plot) => drawMarks(plot, marks, { ink: colour('--ink'), edge })] },
  }
}

/** Of a scale of whole things, such as orders: 1, 2, 5, 10 and so on. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, zeros) =>
  [1, 2, 5].map((digit) => digit * 10 ** zeros),
).flat()
const isWhole = ({ series }: PlotProps) =>
  series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))

/** From zero, so that a chart looks the same on every page. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  const top = Math.max(high ?? 1, 0) || 1
  const bottom = Math.min(low ?? 0, 0)
  return [bottom, top + (top - bottom) * 0.18]
}

/** Places of values without a neighbour, which a line alone would not show. */
function lonelyIn({ data }: uPlot, at: number): number[] {
  const values = data[at]!
  const isThere = (place: number) => typeof values[place] === 'number'
  return Array.from(values, (_, place) => place).filter(
    (place) => isThere(place) && !isThere(place - 1) && !isThere(place + 1),
  )
}

function lookOf({ kind }: Series, stroke: string, hasBars: boolean): uPlot.Series {
  const { bars, stepped, linear } = uPlot.paths
  if (kind === 'bars') {
    return {
      stroke,
      fill: stroke,
      width: 0,
      paths: bars!({ size: [0.7, 40] }),
      points: { show: false },
    }
  }
  return {
    stroke,
    width: 2,
    points: { show: true, size: 6, fill: stroke, filter: lonelyIn },
    ...(kind === 'dashed' && { dash: [6, 5] }),
    // Over bars it would tint them.
    ...(kind !== 'dashed' && !hasBars && { fill: faint(stroke) }),
    paths: kind === 'steps' ? stepped!({ align: 1 }) : linear!(),
  }
}

/** The same colour, nearly clear: rgb(1, 2, 3) becomes rgba(1, 2, 3, 0.14). */
const faint = (colour: string) => colour.replace('rgb(', 'rgba(').replace(')', ', 0.14)')

function drawMarks(
  plot: uPlot,
  marks: NonNullable<PlotProps['marks']>,
  { ink, edge }: { ink: string; edge: number },
) {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = ink
  ctx.strokeStyle = ink
  ctx.font = `600 ${12 * devicePixelRatio}px Inter, system-ui, sans-serif`
  let endOfLast = Number.NEGATIVE_INFINITY
  for (const { at, words } of marks.toSorted((one, other) => one.at - other.at)) {
    const x = plot.valToPos(at + 0.5 - edge, 'x', true)
    const half = ctx.measureText(words).width / 2
    const centre = Math.min(Math.max(x, bbox.left + half), bbox.left + bbox.width - half)
    // Two texts in one place cannot be read.
    const top = bbox.top + (centre - half < endOfLast ? 26 : 12) * devicePixelRatio
    endOfLast = centre + half + 8 * devicePixelRatio
    ctx.setLineDash([4, 4])
    ctx.beginPath()
    ctx.moveTo(x, top + 6 * devicePixelRatio)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.textAlign = 'center'
    ctx.fillText(words, centre, top)
  }
  ctx.restore()
}
