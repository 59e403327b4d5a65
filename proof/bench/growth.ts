import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { medians } from './report.ts'
import { table } from './row.ts'

// node proof/bench/growth.ts --svg FILE RUN...
// How the lists grow, from several `npm run bench -- lists --rows N --json RUN`: draws the
// processor time of one list, in the service and in the database, which does not depend on other
// load of the machine, and prints it with p95 as a table.

type Run = {
  orders: number
  details: { measured: { variant: string; medians: ReturnType<typeof medians> }[] }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { svg: { type: 'string' } },
})
const runs = positionals
  .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Run)
  .sort((a, b) => a.orders - b.orders)
const named = (n: number) => n.toLocaleString('en-US')
const lines = runs[0]!.details.measured.map(({ variant }) => ({ variant, ...seriesOf(variant) }))
console.log(
  table(
    ['Processor time (p95)', ...runs.map(({ orders }) => `${named(orders)} orders`)],
    lines.map(({ variant, costs, p95s }) => [
      variant,
      ...costs.map((ms, run) => `${ms.toFixed(2)} ms (${p95s[run]!.toFixed(1)} ms)`),
    ]),
  ),
)
if (values.svg) writeFileSync(values.svg, drawn())

function seriesOf(variant: string): { costs: number[]; p95s: number[] } {
  const found = runs.map(
    ({ details }) => details.measured.find((one) => one.variant === variant)!.medians,
  )
  return {
    costs: found.map(({ serverMicros, databaseMicros }) => (serverMicros + databaseMicros) / 1_000),
    p95s: found.map(({ p95Ms }) => p95Ms),
  }
}

/**
 * Colours that are readable on light and dark backgrounds, without inline styles: a page may forbid
 * them.
 */
function drawn(): string {
  const colours = ['#c27c00', '#2f7fd1', '#2f9e62', '#b0509c']
  const grey = '#7d8590'
  const [width, height, left, top, bottom] = [720, 330, 56, 20, 250]
  const most = Math.ceil(Math.max(...lines.flatMap(({ costs }) => costs)))
  const x = (run: number) => left + 30 + (run * (width - left - 100)) / Math.max(1, runs.length - 1)
  const y = (ms: number) => bottom - (ms / most) * (bottom - top)
  const text = (at: { x: number; y: number }, words: string, rest = '') =>
    `<text x="${at.x}" y="${at.y.toFixed(0)}" fill="${grey}" ${rest}>${words}</text>`
  const ticks = Array.from({ length: most + 1 }, (_, ms) => [
    `<path d="M${left} ${y(ms).toFixed(1)}H${width - 10}" stroke="${grey}" stroke-opacity="0.25"/>`,
    text({ x: left - 8, y: y(ms) + 4 }, `${ms} ms`, 'text-anchor="end"'),
  ]).flat()
  const places = runs.map(({ orders }, run) =>
    text({ x: x(run), y: bottom + 20 }, `${named(orders)} orders`, 'text-anchor="middle"'),
  )
  const curves = lines.flatMap(({ variant, costs }, index) => {
    const colour = colours[index % colours.length]!
    const points = costs.map((ms, run) => `${x(run).toFixed(1)},${y(ms).toFixed(1)}`)
    const legend = { x: left + (index % 2) * 330, y: bottom + 48 + Math.floor(index / 2) * 22 }
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map((point) => {
        const [cx, cy] = point.split(',')
        return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`
      }),
      `<rect x="${legend.x}" y="${legend.y - 9}" width="10" height="10" fill="${colour}"/>`,
      text({ x: legend.x + 16, y: legend.y }, variant),
    ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>GET /orders: processor time of one list against the number of orders</title>
${[...ticks, ...places, ...curves].join('\n')}
</svg>
`
}
