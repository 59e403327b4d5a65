import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { SandboxFile } from '../../../service/app/sandbox.ts'
import { embeddedUrl } from '../../../service/db/index.ts'
import { startProgram, untilUp } from '../../testing/program.ts'
import { drawn, type Panel } from '../drawing.ts'
import { type Curve, judge } from './flat.ts'
import { ask, type Load, startLoad } from './load.ts'
import { readMemory, readSessions, readTables, readTimes, type Sample } from './sample.ts'

// npm run prove -- --only two-hours
// A sandbox under steady load while its clock moves by an hour every ten seconds: a month in two hours. What grows
// with the time that a service runs shows as a curve that still rises in the second half.

const HOUR_SECONDS = 3_600
const TICK_MS = 10_000
const LOOK_MS = 1_000

/** Rows of these are never deleted: they are what happened to money, or whose it is. */
const FOR_EVER =
  /^(ledger\.|identity\.|addresses\.|orders\.(purchase_order|pair|filed_order|folded)|deposits\.(deposit|sweep|holding)|delivery\.(request|part|attempt|delegation|network_fee|standing_move|claim)|signing\.(request|answer)|chain\.broadcast|autoenergy\.|agent\.|audit\.)/
/** Kept for longer than the month that passes here. */
const FOR_DAYS = /^(events\.event|webhooks\.)/
/** Not the service: it keeps every block in memory. */
const DEVNET = 'devnet'

export type SteadyReport = {
  minutes: number
  /** Of business time that passed. */
  hours: number
  counted: Load['counted']
  refused: Load['refused']
  samples: Sample[]
  curves: (Curve & { sentence: string; isFlat: boolean })[]
  /** Curves that grow and must not. */
  growing: string[]
}

export async function runTwoHours(options: {
  minutes: number
  say(line: string): void
}): Promise<SteadyReport> {
  const { minutes, say } = options
  const folder = mkdtempSync(join(tmpdir(), 'ergon-steady-'))
  const program = startProgram({ env: { DATA_DIR: folder, BLOCK_MS: '3000' } })
  const client = new pg.Client(embeddedUrl(join(folder, 'postgres'), 'ergon_admin'))
  // The server ends with the program.
  client.on('error', () => {})
  try {
    const sandbox = await untilUp(program, folder)
    await client.connect()
    const load = await startLoad(sandbox)
    const samples: Sample[] = []
    const untilMs = performance.now() + minutes * 60_000
    const moved = moveClock(sandbox, untilMs, say)
    while (performance.now() < untilMs && program.isRunning()) {
      const sessions = await watchSessions(client, Math.min(60_000, untilMs - performance.now()))
      const read = await readTimes(sandbox.web_url, load.took())
      samples.push({
        minute: samples.length + 1,
        memory: readMemory(program.pid),
        tables: await readTables(client),
        ...sessions,
        ...read,
        purchases: load.counted.purchases,
      })
      say(lineOf(samples.at(-1)!))
    }
    const hours = await moved
    await load.stop()
    for (const [kind, times] of kindsOf(program.complaints())) say(`log: ${times} × ${kind}`)
    if (!program.isRunning())
      throw new Error(`the service ended: ${program.complaints().slice(-2_000)}`)
    const curves = curvesOf(samples).map((curve) => ({ ...curve, ...judge(curve) }))
    const growing = curves
      .filter(({ isFlat, grows }) => !isFlat && !grows)
      .map(({ sentence }) => sentence)
    const { counted, refused } = load
    return { minutes, hours, counted, refused, samples, curves, growing }
  } finally {
    await client.end().catch(() => {})
    program.kill('SIGTERM')
    await program.ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns how many hours it moved. A move waits for deliveries and for the scanner, so on a slow machine some
 * come late; after one that the scanner did not follow in time it is let to follow first.
 */
async function moveClock(
  { sandbox_url, web_url }: SandboxFile,
  untilMs: number,
  say: (line: string) => void,
): Promise<number> {
  let hours = 0
  for (let due = performance.now() + TICK_MS; due < untilMs; ) {
    await pause(Math.max(0, due - performance.now()))
    try {
      await ask(`${sandbox_url}/clock`, '', { advance_seconds: HOUR_SECONDS })
      hours += 1
    } catch (error) {
      say(`the clock was not followed in time: ${(error as Error).message}`)
      while (performance.now() < untilMs && !(await isReady(web_url))) await pause(LOOK_MS)
    }
    due = Math.max(due + TICK_MS, performance.now())
  }
  return hours
}

const isReady = (webUrl: string) =>
  fetch(`${webUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** The worst of the time, by looking every second. */
async function watchSessions(client: pg.Client, ms: number) {
  let worst = { idleMs: 0, connections: 0 }
  for (const endMs = performance.now() + ms; performance.now() < endMs; await pause(LOOK_MS)) {
    const { idleMs, connections } = await readSessions(client)
    worst = {
      idleMs: Math.max(worst.idleMs, idleMs),
      connections: Math.max(worst.connections, connections),
    }
  }
  return worst
}

function curvesOf(samples: Sample[]): Curve[] {
  const names = (pick: (sample: Sample) => Record<string, number>) =>
    [...new Set(samples.flatMap((sample) => Object.keys(pick(sample))))].sort()
  const memory = names((sample) => sample.memory).map(
    (name): Curve => ({
      panel: 'Memory of each process',
      unit: 'MB',
      name,
      values: samples.map((sample) => sample.memory[name] ?? 0),
      slack: 10,
      ...(name === DEVNET && { grows: 'keeps its blocks and what its receivers got' }),
    }),
  )
  const tables = names((sample) => sample.tables).map((name): Curve => {
    const grows = FOR_EVER.test(name) ? 'for ever' : FOR_DAYS.test(name) ? 'for days' : undefined
    return {
      panel: grows ? 'Tables whose rows are kept' : 'Other tables',
      unit: 'MB',
      name,
      values: samples.map((sample) => sample.tables[name] ?? 0),
      // Some pages and their indexes: a table is vacuumed now and then.
      slack: 0.25,
      ...(grows && { grows }),
    }
  })
  const times = names((sample) => sample.times).map(
    (name): Curve => ({
      panel: 'Loops and answers',
      unit: 'ms',
      name,
      values: samples.map((sample) => sample.times[name] ?? 0),
      slack: 20,
    }),
  )
  const plain = (
    name: string,
    unit: string,
    slack: number,
    pick: (sample: Sample) => number,
  ): Curve => ({
    panel: name,
    unit,
    name,
    values: samples.map(pick),
    slack,
  })
  return [
    ...memory,
    ...tables,
    plain('Longest idle transaction', 'ms', 200, ({ idleMs }) => idleMs),
    plain('Connections', '', 2, ({ connections }) => connections),
    ...times,
    // The audit runs once a minute.
    plain('Oldest proof of an invariant', 's', 30, ({ proofSeconds }) => proofSeconds),
    plain('Age of the newest block read', 's', 3, ({ lagSeconds }) => lagSeconds),
    plain('Work that waits', '', 10, ({ waiting }) => waiting),
  ]
}

const CURVES_MAX = 8

/** One diagram for each kind; of many curves those that are largest at the end. */
export function drawTwoHours({ curves, samples, minutes }: SteadyReport): string {
  const every = Math.max(1, Math.round(samples.length / 8))
  const places = samples.map(({ minute }) => (minute % every === 0 ? `${minute} min` : ''))
  const panels = [...new Set(curves.map(({ panel }) => panel))].map((title) => {
    const own = curves.filter(({ panel }) => panel === title)
    const largest = own.toSorted((a, b) => b.values.at(-1)! - a.values.at(-1)!).slice(0, CURVES_MAX)
    return { title, unit: largest[0]!.unit, curves: largest, places } satisfies Panel
  })
  return drawn(`${minutes} minutes of steady load, a month of business time in two hours`, panels)
}

function lineOf(sample: Sample): string {
  const { minute, memory, idleMs, times, proofSeconds, lagSeconds, purchases, waiting } = sample
  const sizes = Object.entries(memory).map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`)
  const took = Object.entries(times).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
  return `minute ${minute}: ${purchases} purchases; ${sizes.join(', ')}; idle ${idleMs.toFixed(0)} ms; ${took.join(', ')}; oldest proof ${proofSeconds.toFixed(0)} s, newest block ${lagSeconds.toFixed(0)} s; ${waiting} wait`
}

/** What the lines of a log are about, and how many there are of each. */
function kindsOf(log: string): Map<string, number> {
  const kinds = new Map<string, number>()
  for (const line of log.split('\n').filter(Boolean)) {
    const kind = kindOf(line)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return kinds
}

function kindOf(line: string): string {
  try {
    const { msg, loop, reason, error } = JSON.parse(line)
    const words = [msg, loop, reason, error?.message ?? error].filter(Boolean).join(' ')
    return words.replaceAll(/\d+/g, 'N').slice(0, 200)
  } catch {
    return line.slice(0, 200)
  }
}
