import { setTimeout as pause } from 'node:timers/promises'
import type { Seeded } from '../../testing/seeded.ts'
import { until } from '../../testing/until.ts'
import type { World } from './world.ts'

// Each fault breaks one thing and repairs it. A stopped process sleeps longer than its lease of ten
// seconds.

export type Measured = {
  sellingAgainMs: number[]
  /** From the kill of the primary to the next purchase, the promotion included. */
  withoutSalesMs: number[]
  /** How long it took to replace all processes, one after the other. */
  replacedMs: number[]
  perSecondAtKill: number[]
  /** Number of sessions terminated, each time that all of them were. */
  sessionsEnded: number[]
  /** Purchases acknowledged while no block was read, each time; zero is expected. */
  soldBlind: number[]
}
/** The load is higher around a kill of the primary. */
export type Load = { perSecond: number; readers: number; perSecondAtKill: number }
export type Fault = (
  world: World,
  random: Seeded,
  about: Measured & { load: Load },
) => Promise<void>

const LEASE_MS = 10_000
const TERMINATIONS = 10
/** The scanner is behind when its last block is older than this. */
const BEHIND_MS = 20_000
/** Above the size of a WAL segment, below the larger tables and indexes. */
const FILE_BYTES_MAX = 1_100_000

function kill(role: string): Fault {
  return async ({ children }, random) => {
    const victim = random.pick(children.filter(({ name }) => name.startsWith(role)))
    const { deaths } = victim
    victim.signal('SIGKILL')
    await until(`${victim.name} dies`, () => victim.deaths > deaths)
  }
}

/** Does not wait: the process continues by itself after its sleep. */
const stop: Fault = async ({ children, sleeping }, random) => {
  const sleeper = random.pick(children)
  sleeper.signal('SIGSTOP')
  sleeping.push(pause(LEASE_MS + 2_000).then(() => sleeper.signal('SIGCONT')))
}

const terminate: Fault = async (world, random) => {
  await world.primary().sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'ergon-%' and hashint4(pid + $1) % 2 = 0`,
    [random.below(1_000_000)],
  )
}

/**
 * Terminates all sessions, repeatedly: under load some are in a transaction and some are passing to
 * the next caller.
 */
const terminateAll: Fault = async (world, _random, { sessionsEnded }) => {
  for (let round = 0; round < TERMINATIONS; round++) {
    const ended = await world
      .primary()
      .sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'ergon-%'`,
      )
    sessionsEnded.push(ended.length)
    await pause(100)
  }
}

/**
 * Holds the scanners longer than the service sells without reading a block. A purchase in that time
 * is a failure.
 */
const holdScanners: Fault = async ({ children, sleeping, witness }, _random, { soldBlind }) => {
  await Promise.all(sleeping)
  const scanners = children.filter(({ name }) => name.startsWith('scanner'))
  for (const scanner of scanners) scanner.signal('SIGSTOP')
  await pause(BEHIND_MS + 3_000)
  const { acknowledged } = witness.tally()
  await pause(7_000)
  soldBlind.push(witness.tally().acknowledged - acknowledged)
  for (const scanner of scanners) scanner.signal('SIGCONT')
}

function wire(spoil: (one: World['wires'][number], random: Seeded) => void, ms: number): Fault {
  return async ({ wires }, random) => {
    for (const one of wires) spoil(one, random)
    await pause(ms)
    for (const one of wires) one.mend()
  }
}

/** Fills the tables with dead row versions, which take up space. */
async function fillUp(world: World): Promise<void> {
  const table = 'orders.purchase_order'
  await until('a table of the size', async () => {
    const grow = `update ${table} set updated_at = updated_at`
    await world.primary().sql(`begin; ${grow}; rollback`)
    const [row] = await world
      .primary()
      .sql<{ size: number }>(`select pg_relation_size('${table}')::int as size`)
    return row!.size > FILE_BYTES_MAX
  })
}

/** The effect of a full disk: tables cannot grow, and nothing may be half written. */
const fileLimit: Fault = async (world) => {
  await fillUp(world)
  if (!world.primary().limitFiles(`${FILE_BYTES_MAX}`)) {
    console.log('SKIPPED a limit on the size of files: this machine lets nobody set one')
    return
  }
  await pause(1_500)
  world.primary().limitFiles('unlimited')
}

/**
 * Moves the clock by more than an hour, so that Energy is reclaimed: after 15,000 orders all stake
 * would be in use.
 */
const clock: Fault = async ({ call }, random) => {
  const advance_seconds = 3_700 + random.below(40)
  await call('/sandbox/clock', { advance_seconds }).catch(() => {})
}

const deposit: Fault = async (world, random) => {
  await world.pay(random.below(8), BigInt(1 + random.below(5_000_000)))
}

const restart: Fault = async (world) => {
  const server = world.primary()
  await server.kill()
  await server.start()
}

const failOver: Fault = async (world, _random, { load, ...measured }) => {
  const { witness } = world
  witness.load(load.perSecondAtKill, load.readers)
  await pause(1_000)
  const before = witness.tally().acknowledged
  const fromMs = performance.now()
  await pause(1_000)
  const sold = witness.tally().acknowledged - before
  measured.perSecondAtKill.push(Math.round((sold * 1_000) / (performance.now() - fromMs)))
  const killedMs = performance.now()
  await world.promote()
  const promotedMs = performance.now()
  const { acknowledged } = witness.tally()
  await until('it sells again', () => witness.tally().acknowledged > acknowledged, 120_000)
  measured.sellingAgainMs.push(Math.round(performance.now() - promotedMs))
  measured.withoutSalesMs.push(Math.round(performance.now() - killedMs))
  witness.load(load.perSecond, load.readers)
  await world.rebuild()
}

/** All processes are replaced, one after the other, as an upgrade does it. */
const rollingRestart: Fault = async ({ children }, _random, { replacedMs }) => {
  const fromMs = performance.now()
  for (const child of children) await child.replace()
  replacedMs.push(Math.round(performance.now() - fromMs))
}

/** Faults that have a proof to themselves. */
export const failOvers = { 'primary killed, standby promoted': failOver }
export const rollingRestarts = { 'all processes replaced': rollingRestart }

export const faults: Readonly<Record<string, Fault>> = {
  'kill -9 of an api': kill('api'),
  'kill -9 of a worker': kill('worker'),
  'kill -9 of a scanner': kill('scanner'),
  'kill -9 of the signer': kill('signer'),
  'stopped for longer than a lease': stop,
  'connections terminated': terminate,
  'all connections terminated, ten times': terminateAll,
  'scanners held': holdScanners,
  'wires cut': wire((one) => one.cut(), 1_500),
  'wires slow': wire((one, random) => one.slow(50 + random.below(200)), 3_000),
  'wires silent': wire((one) => one.swallow(), 3_000),
  'file size limit reached': fileLimit,
  'clock moved': clock,
  'deposit under way': deposit,
  'database killed and restarted': restart,
  'primary killed, standby promoted': failOver,
}
