import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { silentLog, systemDoors, within } from '../kernel/index.ts'
import { type Db, openDb, type Queryable } from './pool.ts'
import { NoDatabase } from './servers.ts'
import { createStill, type Still } from './still.ts'
import { lookAround } from './store.ts'

let database: TestDatabase
let db: Db
let still: Still
let nowMs: number
/** Since when the server's list has us, on that clock. */
let cameMs: number
let timeline: number
let isDown: boolean
const clients: pg.Client[] = []
/** A connection that nobody has told of. */
const NEW = {}

beforeEach(async () => {
  database = await createTestDatabase()
  nowMs = 1_000_000
  cameMs = 0
  timeline = 1
  isDown = false
  const doors = systemDoors()
  const clock = { ...doors.clock, elapsedMs: () => nowMs }
  const urls = [database.url('ergon_app')]
  // Looks are ours to take, on a clock that is ours to move.
  db = await openDb({ urls, connections: 1, doors, log: silentLog, name: 'ergon-all/me' })
  const watch: Queryable = {
    async query(statement, values) {
      if (isDown) throw new Error('away')
      const rows = await db.query(statement, values)
      return rows.map((row) => ({ ...row, presentMs: nowMs - cameMs }))
    },
  }
  const parts = { watch, tag: 'me', timeline: () => timeline, log: silentLog }
  still = createStill({ ...parts, doors: { ...doors, clock } })
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
  await db.close()
  await database.drop()
})

async function connect(
  role: 'ergon_app' | 'ergon_api' | 'ergon_admin' | 'ergon_signer',
  name: string,
) {
  const client = new pg.Client({ connectionString: database.url(role), application_name: name })
  await client.connect()
  clients.push(client)
  return client
}

/** Time goes by with a look every quarter of a second. */
async function pass(ms: number) {
  for (let passed = 0; passed < ms; passed += 250) {
    nowMs += 250
    await still.loop!.runOnce()
  }
}

test('nothing is still before a process was alone for five seconds, and then it is', async () => {
  // The first look begins it: nobody knows what was before.
  await pass(5_250)
  expect(still.now()).toBeUndefined()
  await pass(250)
  expect(still.now()).toBeTypeOf('number')
})

test('the number is the same for a while, and another one after five seconds', async () => {
  await pass(6_000)
  // From one that has just been made on.
  await still.begin(NEW)
  still.end()
  const before = still.now()
  await pass(4_750)
  nowMs += 249
  expect([before, still.now()]).toEqual([expect.any(Number), before])
  // The look that makes another one is late.
  nowMs += 1
  expect(still.now()).toBeUndefined()
  await pass(1)
  expect(still.now()).toBeGreaterThan(before!)
})

test('whoever came and went between two looks makes another number', async () => {
  await pass(6_000)
  const before = still.now()
  const client = await connect('ergon_admin', 'psql')
  await client.query('select 1')
  await client.end()
  const around = () => db.query(lookAround, ['me'])
  await until('it has gone', async () => (await around())[0]!.others === 0)
  await pass(250)
  const after = still.now()
  expect(after).toBeGreaterThan(before!)
  // Counted already and not listed yet, it would have moved something after that look. Not after the next.
  await pass(250)
  const last = still.now()
  expect(last).toBeGreaterThan(after!)
  await pass(250)
  expect(still.now()).toBe(last)
})

test('without a look, on another server, after a lost session: nothing is still', async () => {
  for (const happen of [
    () => {
      isDown = true
    },
    () => {
      timeline += 1
    },
    () => still.interrupt(),
  ]) {
    isDown = false
    await pass(6_000)
    expect(still.now()).toBeTypeOf('number')
    happen()
    await pass(250).catch(() => {})
    expect(still.now()).toBeUndefined()
  }
  isDown = false
  await pass(6_000)
  timeline += 1
  expect(still.now()).toBeUndefined()
})

test.each([
  ['another process', 'ergon_app', 'ergon-worker/other'],
  ['a process that serves HTTP', 'ergon_api', 'ergon-api/other'],
  ['a program without a name', 'ergon_app', ''],
  ['the administrator', 'ergon_admin', 'psql'],
] as const)(
  '%s that connects ends it with the next look, until it has gone',
  async (_who, role, name) => {
    await pass(6_000)
    const before = still.now()
    const client = await connect(role, name)
    await pass(250)
    expect(still.now()).toBeUndefined()
    await client.end()
    await until('it is still again', async () => {
      await pass(250)
      return still.now() !== undefined
    })
    expect(still.now()).toBeGreaterThan(before!)
  },
)

test.each([
  ['the signer, which moves nothing', 'ergon_signer', 'ergon-signer'],
  ['a session of our own', 'ergon_app', 'ergon-sessions/me'],
] as const)('%s does not matter', async (_name, role, name) => {
  await connect(role, name)
  await pass(6_000)
  expect(still.now()).toBeTypeOf('number')
})

test('a look is believed for half a second', async () => {
  await pass(6_000)
  await still.begin(NEW)
  still.end()
  nowMs += 499
  expect(still.now()).toBeTypeOf('number')
  nowMs += 1
  expect(still.now()).toBeUndefined()
  // Whoever was there meanwhile was not seen, so it begins anew.
  await pass(250)
  expect(still.now()).toBeUndefined()
})

test('a statement that moves makes another number when it ends, and there is none meanwhile', async () => {
  await pass(6_000)
  const before = still.now()
  expect(still.begin(NEW)).toBeUndefined()
  expect(still.now()).toBeUndefined()
  still.end()
  expect(still.now()).toBeGreaterThan(before!)
})

test('of two that move at once the last to end counts', async () => {
  await pass(6_000)
  void still.begin(NEW)
  void still.begin(NEW)
  still.end()
  expect(still.now()).toBeUndefined()
  still.end()
  expect(still.now()).toBeTypeOf('number')
})

test.each([
  ['an answer that was lost', new Error('Connection terminated unexpectedly'), undefined],
  ['a refusal of the server', new pg.DatabaseError('no', 1, 'error'), 'number'],
  ['one that was never sent', new NoDatabase('none'), 'number'],
])('%s: how it is for a minute after', async (_name, error, now) => {
  await pass(6_000)
  void still.begin(NEW)
  still.end(error)
  await pass(59_750)
  expect(typeof still.now()).toBe(now ?? 'undefined')
  await pass(500)
  expect(still.now()).toBeTypeOf('number')
})

test('whoever has been there for a second waits for nobody, until nobody has looked for two', async () => {
  await connect('ergon_app', 'ergon-api/other')
  await pass(250)
  expect(still.begin(NEW)).toBeUndefined()
  nowMs += 2_000
  expect(still.begin(NEW)).toBeInstanceOf(Promise)
})

test('whoever comes waits until the others have looked, and not if there are none', async () => {
  cameMs = nowMs
  await pass(750)
  const alone = still.begin(NEW)!.then(() => 'at once')
  expect(await within(900, alone, 'late')).toBe('at once')
  await connect('ergon_app', 'ergon-api/other')
  let hasBegun = false
  const begun = still.begin(NEW)!.then(() => {
    hasBegun = true
  })
  for (const _ of [1, 2, 3]) await db.query({ name: 'test.any', text: 'select 1' })
  expect(hasBegun).toBe(false)
  await begun
})

test('a connection that is a second old shows us by itself, even if nobody can look', async () => {
  isDown = true
  const client = {}
  still.arrive(client)
  nowMs += 999
  expect(still.begin(client)).toBeInstanceOf(Promise)
  nowMs += 1
  expect(still.begin(client)).toBeUndefined()
})

test('the list says for how long there has been a session of this process', async () => {
  const presentMs = async (tag: string) => (await db.query(lookAround, [tag]))[0]!.presentMs
  const first = await presentMs('me')
  await until('it is longer', async () => (await presentMs('me')) > first)
  expect(await presentMs('nobody')).toBe(0)
})

test('a list that cannot be read is waited for no longer than a second', async () => {
  isDown = true
  cameMs = nowMs
  expect(
    await within(
      5_000,
      still.begin(NEW)!.then(() => 'begun'),
      'late',
    ),
  ).toBe('begun')
})
