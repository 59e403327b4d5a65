import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { drawn } from './drawing.ts'
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
if (values.svg) {
  const curves = lines.map(({ variant, costs }) => ({ name: variant, values: costs }))
  const places = runs.map(({ orders }) => `${named(orders)} orders`)
  const title = 'GET /orders: processor time of one list against the number of orders'
  writeFileSync(values.svg, drawn(title, [{ unit: 'ms', curves, places }]))
}

function seriesOf(variant: string): { costs: number[]; p95s: number[] } {
  const found = runs.map(
    ({ details }) => details.measured.find((one) => one.variant === variant)!.medians,
  )
  return {
    costs: found.map(({ serverMicros, databaseMicros }) => (serverMicros + databaseMicros) / 1_000),
    p95s: found.map(({ p95Ms }) => p95Ms),
  }
}
