// `npm run prove`: the long forms of everything that tries to break the service, and one table of what
// came of it. `--minutes N` bounds it; without it, it goes on until everything has been tried.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawTwoHours, runTwoHours } from './bench/steady/twoHours.ts'
import { type ChaosReport, runChaos } from './faults/chaos/chaos.ts'
import {
  failOver,
  manual,
  patroni,
  poolers,
  type Row,
  restoreRow,
  rollingRestart,
  versions,
} from './operatingProofs.ts'

const ROOT = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'string' },
    /** Where two-hours draws its curves. */
    svg: { type: 'string' },
  },
})

type Proof = {
  name: string
  share: number
  run(seconds: number): Promise<Row[]>
  /** It runs only when it is named, and for so many minutes if nobody says. */
  alone?: number
}

/** Memory and caches of a shorter run still fill. */
const JUDGED_SECONDS = 3_600
const count = (number: number) => number.toLocaleString('en-US')
/** The parts of the time that is there; what needs less leaves the rest to those that follow. */
const proofs: Proof[] = [
  { name: 'chaos', share: 0.5, run: chaos },
  { name: 'crashes', share: 0.2, run: crashes },
  { name: 'attacks', share: 0.1, run: attacks },
  { name: 'simulation', share: 0.1, run: simulation },
  { name: 'bugs', share: 0.1, run: bugs },
  { name: 'image', share: 0.05, run: image },
  { name: 'manual', share: 1, run: manual, alone: 10 },
  { name: 'versions', share: 1, run: versions, alone: 10 },
  { name: 'poolers', share: 1, run: poolers, alone: 5 },
  { name: 'fail-over', share: 1, run: failOver, alone: 5 },
  { name: 'rolling-restart', share: 1, run: rollingRestart, alone: 5 },
  { name: 'restore', share: 1, run: restore, alone: 5 },
  { name: 'patroni', share: 1, run: patroni, alone: 10 },
  { name: 'runtimes', share: 1, run: runtimes, alone: 10 },
  { name: 'two-hours', share: 1, run: twoHours, alone: 120 },
]
const chosen = choose(values.only)
const minutes = Number(values.minutes ?? Math.max(...chosen.map(({ alone = 90 }) => alone)))
if (!(minutes > 0)) throw new Error('--minutes takes a number')
/** What a proof has seen, for the file. */
const details: Record<string, unknown> = {}
const scratch = mkdtempSync(join(tmpdir(), 'ergon-prove-'))

/** All of them, or those that are named. An unknown name ends the program: it would prove nothing. */
function choose(only: string | undefined): Proof[] {
  if (only === undefined) return proofs.filter(({ alone }) => alone === undefined)
  const names = only.split(',')
  const known = proofs.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return proofs.filter(({ name }) => names.includes(name))
  console.error(`--only "${unknown}" is not a proof; there are ${known.join(', ')}.`)
  process.exit(2)
}

async function chaos(seconds: number): Promise<Row[]> {
  const report = await runChaos({
    seed: Number(values.seed),
    accounts: 400,
    trx: 1_500,
    perSecond: 30,
    perSecondAtKill: 500,
    readers: 64,
    answers: 1_000_000,
    orders: 20_000,
    // The end takes time as well: what is under way has to be delivered, and everything is looked for.
    seconds: seconds * 0.75,
    terminations: 100,
    purchasesBetween: 60,
    report: (line) => console.log(`  ${line}`),
  })
  return [chaosRow(report), failOverRow(report)]
}

function chaosRow(report: ChaosReport): Row {
  const { faults, answers, acknowledged, completed, refunded, loadSeconds } = report
  const injected = Object.values(faults).reduce((sum, one) => sum + one, 0)
  for (const [name, times] of Object.entries(faults)) console.log(`  ${times} × ${name}`)
  for (const sentence of report.violations) console.log(`  VIOLATION ${sentence}`)
  console.log(`  all sessions terminated ${report.sessionsEnded.length} times`)
  console.log(`  Energy given for nothing: ${report.energyForNothing}`)
  return {
    what: 'real processes, real servers',
    load: `${count(answers)} answers and ${count(acknowledged)} purchases in ${loadSeconds} s; ${count(completed)} delivered, ${count(refunded)} refunded`,
    faults: `${injected} of ${Object.keys(faults).length} kinds; ${report.fileLimits} writes stopped by a file limit`,
    inputs: `${count(answers)} answers`,
    violations: String(report.violations.length),
  }
}

function failOverRow({ sellingAgainMs, perSecondAtKill, violations }: ChaosReport): Row {
  const slowest = Math.max(0, ...sellingAgainMs)
  return {
    what: 'primary killed, standby promoted',
    load: `${perSecondAtKill.join(', ')} purchases per second at the kill`,
    faults: `${sellingAgainMs.length} promotions; selling again ${sellingAgainMs.join(', ')} ms after`,
    inputs: `slowest ${slowest} ms`,
    violations: slowest > 15_000 ? 'later than 15 s' : String(violations.length),
  }
}

type Report = {
  numPassedTests: number
  numFailedTests: number
  testResults: { assertionResults: { fullName: string; status: string }[] }[]
}

/** Test files with their output, which is searched for figures. */
async function tests(name: string, files: string[], seconds: number, env = {}) {
  const report = join(scratch, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const output = await program('vitest', ['run', ...reporters, ...files], seconds, env)
  const { numPassedTests: passed, numFailedTests: failed }: Report = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  return { output, passed, failed }
}

async function crashes(seconds: number): Promise<Row[]> {
  const files = [
    'crash-purchase',
    'crash-autoenergy',
    'crash-agent',
    'crash-deliver',
    'crash-payout',
    'crash-staking',
    'crash-treasury',
    'postgres-killed',
    'webhooks-killed',
    'chat-killed',
    'restore',
    'upgrade',
  ]
  const paths = files.map((name) => `proof/faults/${name}.test.ts`)
  const limit = Math.min(900, Math.floor(seconds * 0.7))
  const { output, passed, failed } = await tests('crashes', paths, seconds * 2 + 300, {
    CRASH_SECONDS: String(limit),
  })
  const places = /killed at (\d+) of (\d+) places/.exec(output)
  const lives = [...output.matchAll(/^(.+): killed (\d+) times/gm)]
  const others = lives.map(([, name, deaths]) => `${deaths} of ${name}`).join(', ')
  return [
    {
      what: 'kill -9 at each step; backup, upgrade',
      load: 'one life at a time',
      faults: `${places ? `${places[1]} of ${places[2]} places of a purchase` : '?'}; ${others || '?'}`,
      inputs: `${passed + failed} tests`,
      violations: String(failed),
    },
  ]
}

async function attacks(seconds: number): Promise<Row[]> {
  const { output, passed, failed } = await tests('attacks', ['proof/attacks'], seconds + 300)
  const malformed = /^const REQUESTS = ([\d_]+)/m.exec(
    readFileSync(join(ROOT, 'proof/attacks/malformed.test.ts'), 'utf8'),
  )
  const timing = /refusals, .*/.exec(output)
  if (timing) console.log(`  ${timing[0]}`)
  return [
    {
      what: 'attacks',
      load: '–',
      faults: '–',
      inputs: `${malformed?.[1]?.replaceAll('_', ',') ?? '?'} malformed requests, ${passed + failed} tests`,
      violations: String(failed),
    },
  ]
}

async function simulation(seconds: number): Promise<Row[]> {
  let seed = Number(values.seed)
  let seeds = 0
  let broken = 0
  const batch = 10
  for (
    const untilMs = performance.now() + seconds * 1_000;
    performance.now() < untilMs;
    seed += batch
  ) {
    const args = ['proof/simulation/run.ts', '--seed', String(seed), '--seeds', String(batch)]
    const output = await program(process.execPath, args, 900)
    // A run that does not tell its end has broken something too.
    const [, tried = '0', failed = '1'] = /(\d+) seeds, .* (\d+) broke a promise/.exec(output) ?? []
    seeds += Number(tried)
    broken += Number(failed)
    for (const line of output.split('\n')) if (line.includes('BROKEN')) console.log(`  ${line}`)
  }
  return [
    {
      what: 'simulation',
      load: '–',
      faults: 'drawn from the seed',
      inputs: `${seeds} seeds`,
      violations: String(broken),
    },
  ]
}

async function bugs(): Promise<Row[]> {
  const output = await program(process.execPath, ['proof/simulation/run.ts', '--bugs'], 1_800)
  const all = [...output.matchAll(/^ {2}caught: +(.*)$/gm)].map(([, sentence]) => sentence)
  const caught = all.filter((sentence) => sentence !== 'NO').length
  return [
    {
      what: 'planted bugs',
      load: '–',
      faults: `${all.length} planted`,
      inputs: `${caught} found`,
      violations: caught === all.length && caught > 0 ? '0' : 'not all found',
    },
  ]
}

/** The Dockerfile's steps, with the npm of this machine. */
async function image(seconds: number): Promise<Row[]> {
  const { output, passed, failed } = await tests('image', ['proof/image.test.ts'], seconds + 900, {
    ERGON_IMAGE: 'as-written',
  })
  return [
    {
      what: 'image',
      load: '–',
      faults: '–',
      inputs: `${/image: (\d+ MB)/.exec(output)?.[1] ?? '?'}, ${passed + failed} tests`,
      // Steps that fail leave no test to run.
      violations: passed > 0 ? String(failed) : 'not made',
    },
  ]
}

async function restore(seconds: number): Promise<Row[]> {
  const files = ['proof/faults/restore.test.ts']
  return [restoreRow(await tests('restore', files, seconds + 300))]
}

/** The SDK in Bun and Deno, which npm installs from the public registry. */
async function runtimes(seconds: number): Promise<Row[]> {
  const { passed, failed } = await tests('runtimes', ['proof/runtimes.test.ts'], seconds + 300, {
    ERGON_RUNTIMES: 'install',
  })
  return [
    {
      what: 'the SDK in Node, Bun and Deno',
      load: '–',
      faults: '–',
      inputs: `${passed + failed} runtimes`,
      violations: passed > 0 ? String(failed) : 'not installed',
    },
  ]
}

async function twoHours(seconds: number): Promise<Row[]> {
  const say = (line: string) => console.log(`  ${line}`)
  const report = await runTwoHours({ minutes: seconds / 60, say })
  const { counted, refused, curves, growing, hours } = report
  const flat = curves.filter(({ isFlat }) => isFlat)
  for (const { sentence } of curves.filter(({ isFlat }) => !isFlat)) say(sentence)
  for (const [why, times] of Object.entries(refused)) say(`refused: ${times} × ${why}`)
  if (values.svg) writeFileSync(values.svg, drawTwoHours(report))
  details['two-hours'] = report
  const isJudged = seconds >= JUDGED_SECONDS
  return [
    {
      what: `steady load while ${count(hours)} hours pass`,
      load: `${count(counted.purchases)} purchases, ${count(counted.reads)} reads, ${count(counted.transfers)} transfers, ${count(counted.payments)} agent payments`,
      faults: '–',
      inputs: `${flat.length} of ${curves.length} curves flat${isJudged ? '' : '; too short to judge'}`,
      violations: isJudged ? String(growing.length) : '0',
    },
  ]
}

function program(command: string, args: string[], seconds: number, env = {}): Promise<string> {
  const path = command.startsWith('/') ? command : join(ROOT, 'node_modules/.bin', command)
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      cwd: ROOT,
      // Figures are read from what it prints.
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1_000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data
      })
    }
    child.once('error', reject)
    child.once('close', () => resolve(output))
  })
}

const rows: Row[] = []
const shares = chosen.reduce((sum, { share }) => sum + share, 0)
const fromMs = performance.now()
for (const { name, share, run } of chosen) {
  const seconds = Math.round(((minutes * share) / shares) * 60)
  console.log(`== ${name}, about ${seconds} s`)
  try {
    rows.push(...(await run(seconds)))
  } catch (error) {
    console.log(`  ${(error as Error).message}`)
    rows.push({ what: name, load: '–', faults: '–', inputs: '–', violations: 'did not end' })
  }
}
rmSync(scratch, { recursive: true, force: true })
const table = [
  '| What | Load held | Faults injected | Inputs tried | Violations |',
  '|---|---|---|---|---|',
  ...rows.map((r) => `| ${r.what} | ${r.load} | ${r.faults} | ${r.inputs} | ${r.violations} |`),
]
console.log(
  `\n${table.join('\n')}\n\n${Math.round((performance.now() - fromMs) / 60_000)} minutes.`,
)
if (values.json) writeFileSync(values.json, JSON.stringify({ rows, details }, null, 2))
// Not left to the runtime: after thousands of killed processes it turned for ever in its own closing.
process.exit(rows.every(({ violations }) => violations === '0') ? 0 : 1)
