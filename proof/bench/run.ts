import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureAge } from './age.ts'
import { runAll } from './all.ts'
import { agentFigures, agentVariants, autoenergyFigures, autoenergyVariants } from './blocks.ts'
import { measureDelivery } from './delivery.ts'
import { measureDevnet } from './devnet.ts'
import { inWorld } from './inWorld.ts'
import { listFigures, listVariants } from './lists.ts'
import { machine, machineLine, meanwhileTable, watchMachine } from './machine.ts'
import { measureMemory } from './memory.ts'
import { findPgbench } from './pgbench.ts'
import { purchaseFigures, purchaseVariants } from './purchases.ts'
import { readFigures, readVariants } from './reads.ts'
import { measureRecovery } from './recovery.ts'
import { measureRest } from './rest.ts'
import { reachedBy, rowsTable, type Suite } from './row.ts'
import { measureScanning } from './scanning.ts'
import { measureStart } from './start.ts'
import { webhookFigures, webhookVariants } from './webhooks.ts'
import { measureReport } from './yearReport.ts'

const CLOSED_LOOP =
  'A closed loop asks less often when an answer is late: percentiles hide coordinated omission. They compare the two sides, no more.'
const NO_PGBENCH =
  'pgbench is not installed (it comes with postgresql-15): purchases have no baselines and no ratios.'

/**
 * Rounds and seconds are chosen so that all suites together take less than 20 minutes on two
 * processors.
 */
const SUITES: Record<string, Suite> = {
  purchases: inWorld({
    variants: purchaseVariants,
    figures: () => purchaseFigures,
    seconds: 3,
    rounds: 7,
    remarks: [CLOSED_LOOP, ...(findPgbench() ? [] : [NO_PGBENCH])],
  }),
  reads: inWorld({ variants: readVariants, figures: () => readFigures, seconds: 1.5, rounds: 11 }),
  webhooks: inWorld({
    variants: webhookVariants,
    figures: () => webhookFigures,
    seconds: 2,
    rounds: 9,
  }),
  lists: inWorld({
    variants: listVariants,
    figures: listFigures,
    seconds: 2,
    remarks: [CLOSED_LOOP],
  }),
  autoenergy: inWorld({
    variants: autoenergyVariants,
    figures: () => autoenergyFigures,
    seconds: 1,
  }),
  agent: inWorld({ variants: agentVariants, figures: () => agentFigures, seconds: 1 }),
  scanning: measureScanning,
  recovery: measureRecovery,
  memory: measureMemory,
  rest: measureRest,
  delivery: measureDelivery,
  devnet: measureDevnet,
  start: measureStart,
}
/** Too long to be run with the others. */
const ALONE: Record<string, Suite> = { age: measureAge, report: measureReport }
const NAMES = Object.keys({ ...SUITES, ...ALONE })
const USAGE = `npm run bench -- [${NAMES.join(' | ')}] [--rounds 5] [--seconds N] [--rows 1m] [--rate 50] [--scale 1] [--json FILE] [--only TEXT] [--profile FILE]`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    /** Number of orders that the lists are read from, or of the year that is reported. */
    rows: { type: 'string', default: '1m' },
    /** Orders a second in the stream of deliveries. */
    rate: { type: 'string', default: '50' },
    /** Part of its full size that an old service is generated in. */
    scale: { type: 'string', default: '1' },
    json: { type: 'string' },
    /** Measures only variants whose name contains this. */
    only: { type: 'string', default: '' },
    /** Where to write a CPU profile of the service. */
    profile: { type: 'string' },
  },
})
const [name, ...more] = positionals
const suite = { ...SUITES, ...ALONE }[name ?? '']
if ((name !== undefined && !suite) || more.length > 0 || (!suite && values.profile)) {
  console.error(USAGE)
  process.exit(1)
}
process.exitCode = suite ? await runAlone(name!, suite) : await runEverything()

function runEverything(): Promise<number> {
  const { rounds, seconds, rows, rate, only, json } = values
  const given = Object.entries({ rounds, seconds, rows, rate, only })
  const passed = given.flatMap(([option, value]) => (value ? [`--${option}`, value] : []))
  return runAll(Object.keys(SUITES), { passed, json })
}

async function runAlone(suiteName: string, measure: Suite): Promise<number> {
  const seen = watchMachine()
  const { rounds, seconds, only, profile } = values
  const handed = await measure({
    rounds: rounds === undefined ? undefined : Number(rounds),
    seconds: seconds === undefined ? undefined : Number(seconds),
    rows: rowsOf(values.rows),
    rate: Number(values.rate),
    scale: Number(values.scale),
    only,
    profile,
    tell: (line) => console.error(line),
  })
  const meanwhile = seen()
  const { rows, remarks, measured } = handed
  console.log(`\n${machineLine()}\n`)
  if (measured) console.log(`${measured}\n`)
  if (rows.length > 0) console.log(rowsTable(rows))
  console.log(['', ...remarks.map((remark) => `- ${remark}`), ''].join('\n'))
  console.log(meanwhileTable([{ suite: suiteName, meanwhile }]))
  if (values.json) {
    const orders = rowsOf(values.rows)
    const result = { suite: suiteName, orders, machine: machine(), meanwhile, ...handed }
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  }
  return rows.some((row) => reachedBy(row) === 'SHORT') ? 1 : 0
}

/** `1m`, `10m`, `200k` or a plain number. */
function rowsOf(text: string): number {
  const [, digits, unit] = /^(\d+)([km]?)$/.exec(text) ?? []
  if (!digits) throw new Error(`--rows ${text}: say 1m, 200k or a number`)
  return Number(digits) * { k: 1_000, m: 1_000_000, '': 1 }[unit as 'k' | 'm' | '']
}
