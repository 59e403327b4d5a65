import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { medians } from './report.ts'
import { table } from './row.ts'

// node proof/bench/growth.ts --svg FILE RUN...
// How the lists grow: draws p95 of several `npm run bench -- lists --rows N --json RUN`, tells the same as a table.

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
const lines = runs[0]!.details.measured.map(({ variant }) => ({ variant, p95s: p95sOf(variant) }))
console.log(
  table(
    ['p95', ...runs.map(({ orders }) => `${named(orders)} orders`), 'largest ÷ the one before'],
    lines.map(({ variant, p95s }) => [
      variant,
      ...p95s.map((ms) => `${ms.toFixed(2)} ms`),
      (p95s.at(-1)! / (p95s.at(-2) ?? p95s.at(-1)!)).toFixed(2),
    ]),
  ),
)
if (values.svg) writeFileSync(values.svg, drawn())

function p95sOf(variant: string): number[] {
  return runs.map(({ details }) => {
    const found = details.measured.find((one) => one.variant === variant)
    return found!.medians.p95Ms
  })
}

/** Colours that can be read on light and on dark paper, and no style of its own: a page may forbid it. */
function drawn(): string {
  const colours = ['#c27c00', '#2f7fd1', '#2f9e62', '#b0509c']
  const grey = '#7d8590'
  const [width, height, left, top, bottom] = [720, 330, 56, 20, 250]
  const most = Math.max(10, ...lines.flatMap(({ p95s }) => p95s)) * 1.05
  const x = (run: number) => left + 30 + (run * (width - left - 70)) / Math.max(1, runs.length - 1)
  const y = (ms: number) => bottom - (ms / most) * (bottom - top)
  const text = (at: { x: number; y: number }, words: string, rest = '') =>
    `<text x="${at.x}" y="${at.y.toFixed(0)}" fill="${grey}" ${rest}>${words}</text>`
  const ticks = [0, 2, 4, 6, 8, 10].flatMap((ms) => [
    `<path d="M${left} ${y(ms).toFixed(1)}H${width - 10}" stroke="${grey}" stroke-opacity="${ms === 10 ? 1 : 0.25}"${ms === 10 ? ' stroke-dasharray="5 4"' : ''}/>`,
    text({ x: left - 8, y: y(ms) + 4 }, `${ms} ms`, 'text-anchor="end"'),
  ])
  const places = runs.map(({ orders }, run) =>
    text({ x: x(run), y: bottom + 20 }, `${named(orders)} orders`, 'text-anchor="middle"'),
  )
  const curves = lines.flatMap(({ variant, p95s }, index) => {
    const colour = colours[index % colours.length]!
    const points = p95s.map((ms, run) => `${x(run).toFixed(1)},${y(ms).toFixed(1)}`)
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
  const must = text({ x: width - 10, y: y(10) - 5 }, 'must', 'text-anchor="end"')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>GET /orders: p95 against the number of orders</title>
${[...ticks, ...places, must, ...curves].join('\n')}
</svg>
`
}
