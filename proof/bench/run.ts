import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { agentFigures, agentVariants, autoenergyFigures, autoenergyVariants } from './blocks.ts'
import { listFigures, listVariants } from './lists.ts'
import { findPgbench } from './pgbench.ts'
import { processors, readProcessorTime } from './processorTime.ts'
import { purchaseFigures, purchaseVariants } from './purchases.ts'
import { readFigures, readVariants } from './reads.ts'
import { compare, type Figure, figuresTable, medians, samplesTable } from './report.ts'
import { measureRounds, type Samples, type Variant } from './rounds.ts'
import { webhookFigures, webhookVariants } from './webhooks.ts'
import { openWorld, type World } from './world.ts'

type Suite = {
  variants(world: World, rows: number): Promise<Variant[]>
  figures: Figure[]
  seconds: number
}

const SUITES: Record<string, Suite> = {
  purchases: { variants: purchaseVariants, figures: purchaseFigures, seconds: 5 },
  reads: { variants: readVariants, figures: readFigures, seconds: 5 },
  webhooks: { variants: webhookVariants, figures: webhookFigures, seconds: 5 },
  lists: { variants: listVariants, figures: listFigures, seconds: 5 },
  autoenergy: { variants: autoenergyVariants, figures: autoenergyFigures, seconds: 1 },
  agent: { variants: agentVariants, figures: agentFigures, seconds: 1 },
}
/** They compare nothing, and each starts what it needs by itself. */
const PROGRAMS: Record<string, string[]> = {
  scanning: ['--expose-gc', join(import.meta.dirname, 'scanning.ts')],
  memory: [join(import.meta.dirname, 'memory.ts')],
}
const NAMES = [...Object.keys(SUITES), ...Object.keys(PROGRAMS)]
const USAGE = `npm run bench -- <${NAMES.join(' | ')}> [--rounds 5] [--seconds 5] [--rows 1m] [--json FILE] [--only TEXT] [--profile FILE]`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string' },
    /** How many orders the lists are read from. */
    rows: { type: 'string', default: '1m' },
    json: { type: 'string' },
    /** Measures only what has this in its name. */
    only: { type: 'string', default: '' },
    /** Writes a CPU profile of the service there. */
    profile: { type: 'string' },
  },
})
const [name = ''] = positionals
const program = PROGRAMS[name]
if (program) process.exit(spawnSync(process.execPath, program, { stdio: 'inherit' }).status ?? 1)
const suite = SUITES[name]
if (!suite) {
  console.error(USAGE)
  process.exit(1)
}
await run(name, suite)

async function run(suiteName: string, { variants, figures, seconds }: Suite) {
  const loadBefore = loadavg()
  const world = await openWorld()
  try {
    if (suiteName === 'purchases' && !findPgbench()) {
      console.log(
        'pgbench is not installed (it comes with postgresql-15): no baselines, no ratios.',
      )
    }
    const { rows } = await world.admin.query('show server_version')
    const list = (await variants(world, rowsOf(values.rows))).filter((one) =>
      one.name.includes(values.only),
    )
    if (values.profile) world.profileInto(resolve(values.profile))
    const database = world.postgres.pid
    const busy = watchProcessors()
    const samples = await measureRounds(list, {
      rounds: Number(values.rounds),
      seconds: Number(values.seconds ?? seconds),
      readTime: (server) => readProcessorTime({ server, database }),
      tell: (line) => console.error(line),
    })
    const machine = {
      processors: processors(),
      model: cpus()[0]?.model ?? 'unknown',
      node: process.version,
      postgres: rows[0].server_version,
      load_before: loadBefore,
      load_after: loadavg(),
      busy: busy(),
    }
    print(samples, figures, machine)
    if (values.json) writeJson(values.json, { suiteName, samples, figures, machine })
  } finally {
    await world.close()
  }
}

/** `1m`, `10m`, `200k` or a plain number. */
function rowsOf(text: string): number {
  const [, digits, unit] = /^(\d+)([km]?)$/.exec(text) ?? []
  if (!digits) throw new Error(`--rows ${text}: say 1m, 200k or a number`)
  return Number(digits) * { k: 1_000, m: 1_000_000, '': 1 }[unit as 'k' | 'm' | '']
}

/** The share of all processors that was busy while we measured. */
function watchProcessors() {
  const busyMs = () => readProcessorTime({ server: 0, database: 0 }).everybody
  const before = busyMs()
  const started = performance.now()
  return () => (busyMs() - before) / (performance.now() - started) / processors()
}

function isMeasured(samples: Samples) {
  return ({ of, baseline }: Figure) =>
    samples.has(of) && (baseline === undefined || samples.has(baseline))
}

type Machine = Record<string, unknown> & {
  load_before: number[]
  load_after: number[]
  busy: number
}

function print(samples: Samples, figures: Figure[], machine: Machine) {
  const load = (numbers: number[]) => numbers.map((n) => n.toFixed(2)).join(' ')
  console.log(
    `\n${machine.processors} × ${machine.model}, Node ${machine.node}, PostgreSQL ${machine.postgres}, fsync and synchronous_commit on`,
  )
  console.log(
    `Load average before ${load(machine.load_before)}, after ${load(machine.load_after)} (the bench itself keeps every processor busy)\n`,
  )
  console.log(samplesTable(samples))
  console.log(
    '\nA closed loop: percentiles hide coordinated omission. They compare the two sides, no more.\n',
  )
  const known = figures.filter(isMeasured(samples))
  if (known.length > 0) console.log(figuresTable(compare(samples, known)))
}

function writeJson(
  file: string,
  given: { suiteName: string; samples: Samples; figures: Figure[]; machine: Machine },
) {
  const { suiteName, samples, machine } = given
  const known = given.figures.filter(isMeasured(samples))
  const measured = [...samples].map(([variant, rounds]) => ({
    variant,
    medians: medians(rounds),
    rounds,
  }))
  const result = { suite: suiteName, machine, figures: compare(samples, known), measured }
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
}
