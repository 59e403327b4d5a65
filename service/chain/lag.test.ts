import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { type Log, type MovableClock, silentLog, systemRuntime } from '../kernel/index.ts'
import { createLag } from './lag.ts'
import { noteHead } from './scan.sql.ts'

// How far the scanner lags, as every process sees it: by its own clock, and by the node's head.

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({
    urls,
    connections: 2,
    runtime: systemRuntime(),
    log: silentLog,
    name: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const START = new Date('2030-01-01T10:00:00Z').getTime()
const at = (seconds: number) => new Date(START + seconds * 1_000)

/** A clock that only moves when the test lets time pass or moves it as the sandbox does. */
function standingClock() {
  let [passedMs, aheadMs] = [0, 0]
  const clock: MovableClock = {
    now: () => new Date(START + passedMs + aheadMs),
    elapsedMs: () => passedMs,
    wallMs: () => START + passedMs,
    aheadMs: () => aheadMs,
    setAheadMs(ms) {
      aheadMs = ms
    },
  }
  return {
    clock,
    pass(seconds: number) {
      passedMs += seconds * 1_000
    },
  }
}

beforeEach(() => database.sql('delete from chain.cursor; delete from chain.head'))

const read = async (seconds: number) => {
  await database.sql('delete from chain.cursor')
  await database.sql(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values (7, 'id', $1, 1, 'solid', $1)`,
    [at(seconds)],
  )
}

let heads = 0
/** Records a node's head of this time, polled so many seconds ago. */
const see = (seconds: number, agoSeconds = 0) =>
  db.query(noteHead, [++heads, at(seconds), agoSeconds * 1_000])

function process(blockMs?: number, log: Log = silentLog) {
  const time = standingClock()
  const recovery: { reason: string | undefined } = { reason: undefined }
  const deps = { db, clock: time.clock, log, blockMs, recovery: async () => recovery.reason }
  const lag = createLag(deps)
  return { ...time, lag, recovery, behind: () => lag.behind()?.reason }
}

test('a process that has not looked, or before anything was read, sells nothing', async () => {
  const one = process()
  expect(one.behind()).toBe('scanner')
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
  await read(0)
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
})

test('beside a scanner of the last release, which notes no head, our clock alone tells', async () => {
  const one = process()
  await read(0)
  await one.lag.look()
  expect([one.behind(), one.lag.mayBuild()]).toEqual([undefined, false])
  one.pass(21)
  expect(one.behind()).toBe('scanner')
})

test('by our clock: 20 s are kept up with, more is behind, also when no look succeeds', async () => {
  const one = process()
  await Promise.all([read(0), see(0)])
  await one.lag.look()
  one.pass(19.9)
  expect(one.behind()).toBeUndefined()
  one.pass(0.2)
  expect(one.behind()).toBe('scanner')
  await read(3)
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
})

test('the sandbox has five blocks at least; with blocks on demand our clock says nothing', async () => {
  await Promise.all([read(0), see(0)])
  const [slow, onDemand] = [process(10_000), process(0)]
  for (const { lag, pass } of [slow, onDemand]) {
    await lag.look()
    pass(49)
    await lag.look()
  }
  expect([slow.behind(), onDemand.behind()]).toEqual([undefined, undefined])
  slow.pass(2)
  onDemand.pass(2_000)
  for (const { lag } of [slow, onDemand]) await lag.look()
  expect([slow.behind(), onDemand.behind()]).toEqual(['scanner', undefined])
})

test('by the node: its head is ahead of what was read, or nobody has asked it for 20 s', async () => {
  const one = process(0)
  await Promise.all([read(0), see(19)])
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
  await see(21)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
  await read(21)
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
  await database.sql(`update chain.head set seen_at = seen_at - interval '21 seconds'`)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
})

test('a node that lags behind another hides nothing; one that was wrong is forgotten', async () => {
  const one = process(0)
  await Promise.all([read(0), see(30)])
  await see(3)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
  await database.sql(`update chain.head set first_seen_at = first_seen_at - interval '61 seconds'`)
  await see(3)
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
})

test('the time of a block in its own transaction decides, not what was read before it', async () => {
  const one = process()
  await Promise.all([read(0), see(60)])
  one.pass(60)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
  expect(one.lag.behindAt(at(30))).toBeDefined()
  expect(one.lag.behindAt(at(57))).toBeUndefined()
})

test('a move of the clock by the sandbox is no lag while the scanner follows it', async () => {
  const one = process(3_000)
  await Promise.all([read(0), see(0)])
  await one.lag.look()
  one.clock.setAheadMs(3_600_000)
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
  await Promise.all([read(3_600), see(3_600)])
  await one.lag.look()
  expect(one.behind()).toBeUndefined()
  // It has followed: from here on time passes normally.
  one.pass(21)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
})

test('a move that no scanner follows is lag in the end', async () => {
  const one = process(3_000)
  await Promise.all([read(0), see(0)])
  await one.lag.look()
  one.clock.setAheadMs(3_600_000)
  await one.lag.look()
  one.pass(21)
  await one.lag.look()
  expect(one.behind()).toBe('scanner')
})

test('a wrong clock is reported from 5 s on, and is the reason when the scanner keeps up', async () => {
  const reported: unknown[] = []
  const log = { ...silentLog, warn: (event: string) => void reported.push(event) }
  const one = process(undefined, log)
  await Promise.all([read(0), see(0)])
  await one.lag.look()
  expect(one.lag.skew.isLarge()).toBe(false)
  expect(reported).toEqual([])
  // Our clock is ahead. One late head is no proof; all of the newest ones are.
  for (let block = 1; block <= 5; block++) {
    one.pass(block === 1 ? 33 : 3)
    await Promise.all([read(block * 3), see(block * 3)])
    await one.lag.look()
  }
  expect(Math.round(one.lag.skew.ms() / 1_000)).toBe(30)
  expect(one.lag.behind()).toMatchObject({
    reason: 'skew',
    sentence: expect.stringContaining('30 s ahead of block time'),
  })
  expect(reported).toEqual(['selling_stopped', 'clock_skew'])
})

test('with blocks on demand the age of a block is no skew', async () => {
  const one = process(0)
  for (let block = 0; block <= 5; block++) {
    one.pass(block === 1 ? 33 : 3)
    await Promise.all([read(block * 3), see(block * 3)])
    await one.lag.look()
  }
  expect(one.lag.skew.isLarge()).toBe(false)
})

test('nothing is built after a start before the cursor has been near the head', async () => {
  await Promise.all([read(0), see(0)])
  const one = process()
  await one.lag.look()
  // That head was seen before the start: the database may be a restored one.
  expect(one.lag.mayBuild()).toBe(false)
  await see(21)
  await one.lag.look()
  expect(one.lag.mayBuild()).toBe(false)
  await read(3)
  await one.lag.look()
  expect(one.lag.mayBuild()).toBe(true)
  await see(60)
  await one.lag.look()
  expect(one.lag.mayBuild()).toBe(true)
})

test('in recovery nothing is sold and nothing is built, from the next look on', async () => {
  await Promise.all([read(0), see(0)])
  const one = process()
  await one.lag.look()
  await see(3)
  await one.lag.look()
  expect([one.behind(), one.lag.mayBuild()]).toEqual([undefined, true])
  one.recovery.reason = 'In recovery.'
  await one.lag.look()
  expect([one.behind(), one.lag.mayBuild()]).toEqual(['recovery', false])
  one.recovery.reason = undefined
  await one.lag.look()
  expect([one.behind(), one.lag.mayBuild()]).toEqual([undefined, true])
})
