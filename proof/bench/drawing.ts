/** One diagram: values of several curves at the same places. */
export type Panel = {
  /** Above the curves; the first diagram of a drawing may go without. */
  title?: string
  unit: string
  curves: { name: string; values: number[] }[]
  /** Below the curves, one for each value; empty: none. */
  places: string[]
}

/** Colours that can be read on light and on dark paper, and no style of its own: a page may forbid it. */
const COLOURS = [
  '#c27c00',
  '#2f7fd1',
  '#2f9e62',
  '#b0509c',
  '#7d6b4f',
  '#c0392b',
  '#5b5bd6',
  '#008b8b',
]
const GREY = '#7d8590'
const [WIDTH, LEFT, TOP, BOTTOM] = [720, 64, 20, 250]
const TICKS_MAX = 8
/** Up to so many values each gets a dot. */
const DOTS_MAX = 10

/** An SVG of panels below each other. */
export function drawn(title: string, panels: Panel[]): string {
  let height = 0
  const parts = panels.map((panel) => {
    const part = `<g transform="translate(0 ${height})">\n${drawPanel(panel).join('\n')}\n</g>`
    height += heightOf(panel)
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>${title}</title>
${parts.join('\n')}
</svg>
`
}

const heightOf = ({ curves }: Panel) => BOTTOM + 44 + Math.ceil(curves.length / 2) * 22

function drawPanel({ title, unit, curves, places }: Panel): string[] {
  const most = Math.max(...curves.flatMap(({ values }) => values), 0)
  const step = stepOf(most)
  const top = Math.max(1, Math.ceil(most / step)) * step
  const x = (place: number) =>
    LEFT + 30 + (place * (WIDTH - LEFT - 100)) / Math.max(1, places.length - 1)
  const y = (value: number) => BOTTOM - (value / top) * (BOTTOM - TOP)
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, tick) => {
    const value = Number((tick * step).toPrecision(6))
    return [
      `<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - 10}" stroke="${GREY}" stroke-opacity="0.25"/>`,
      text({ x: LEFT - 8, y: y(value) + 4 }, `${value} ${unit}`, 'text-anchor="end"'),
    ]
  }).flat()
  const labels = places.flatMap((label, place) =>
    label === '' ? [] : [text({ x: x(place), y: BOTTOM + 20 }, label, 'text-anchor="middle"')],
  )
  const heading = title ? [text({ x: LEFT, y: 13 }, title, 'font-weight="bold"')] : []
  const lines = curves.flatMap(({ name, values }, index) => {
    const colour = COLOURS[index % COLOURS.length]!
    const points = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`)
    const legend = { x: LEFT + (index % 2) * 330, y: BOTTOM + 48 + Math.floor(index / 2) * 22 }
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...(points.length > DOTS_MAX ? [] : points.map((point) => dot(point, colour))),
      `<rect x="${legend.x}" y="${legend.y - 9}" width="10" height="10" fill="${colour}"/>`,
      text({ x: legend.x + 16, y: legend.y }, name),
    ]
  })
  return [...heading, ...ticks, ...labels, ...lines]
}

function text(at: { x: number; y: number }, words: string, rest = ''): string {
  return `<text x="${at.x.toFixed(0)}" y="${at.y.toFixed(0)}" fill="${GREY}" ${rest}>${words}</text>`
}

function dot(point: string, colour: string): string {
  const [cx, cy] = point.split(',')
  return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`
}

/** 1, 2 or 5 and zeros, so that there are few lines. */
function stepOf(most: number): number {
  if (most <= 0) return 1
  const rough = most / TICKS_MAX
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
}
