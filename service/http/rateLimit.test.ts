import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { untilNodesKnowEachOther } from '../../proof/testing/nodes.ts'
import { type TestRuntime, testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb, type Queryable } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createRateLimit, type RateLimit } from './rateLimit.ts'

let database: TestDatabase
let db: Db
let runtime: TestRuntime
let account: string
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 5, runtime: testRuntime(), log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  await database.sql('truncate http.node, http.rate_window')
  runtime = testRuntime()
  account = runtime.ids.next()
})

function limiter(on: Db = db): RateLimit {
  return createRateLimit({
    db: on,
    clock: runtime.clock,
    log: silentLog,
    nodeId: runtime.ids.next(),
  })
}

/** Runs the limiters' loops until each counts all of them. */
async function introduce(...limits: RateLimit[]) {
  for (const { loop } of limits) loop.start()
  await untilNodesKnowEachOther(database, limits.length)
  for (const { loop } of limits) await loop.stop()
}

async function passed(limit: RateLimit, calls: number): Promise<number> {
  const waits = await Promise.all(Array.from({ length: calls }, () => limit.check(account)))
  return waits.filter((wait) => wait === undefined).length
}

/** A database that fails for the shared counter only. */
function withoutCounter(): Db {
  const query: Queryable['query'] = (statement, values) =>
    statement.name === 'http.drawBudget'
      ? Promise.reject(new Error('the counter is away'))
      : db.query(statement, values)
  return { ...db, query }
}

test('alone, exactly 1,000 pass and nothing is asked of the database', async () => {
  const limit = limiter()
  expect(await passed(limit, 1_500)).toBe(1_000)
  expect(await database.sql('select from http.rate_window')).toEqual([])
})

test('the window begins with the first request and is whole again after 60 seconds', async () => {
  const limit = limiter()
  await passed(limit, 1_000)
  runtime.pass(59_000)
  expect(await limit.check(account)).toBe(1)
  runtime.pass(1_000)
  expect(await passed(limit, 1_500)).toBe(1_000)
})

test('two nodes, asked by everybody at the same instant, spend the whole budget and no more', async () => {
  const nodes = [limiter(), limiter()]
  await introduce(...nodes)
  const counts = await Promise.all(nodes.map((node) => passed(node, 1_000)))
  expect(counts[0]! + counts[1]!).toBe(1_000)
})

test('a node that is asked more gets more: the shares are not fixed', async () => {
  const [busy, idle] = [limiter(), limiter()]
  await introduce(busy, idle)
  expect(await passed(busy, 2_000)).toBe(1_000)
  expect(await passed(idle, 10)).toBe(0)
})

test('what a node let pass before it knew of the other counts', async () => {
  const [first, second] = [limiter(), limiter()]
  expect(await passed(first, 700)).toBe(700)
  await introduce(first, second)
  expect((await passed(first, 100)) + (await passed(second, 1_000))).toBe(300)
})

test('the count of a node that stops is kept', async () => {
  const [leaving, staying] = [limiter(), limiter()]
  await introduce(leaving, staying)
  expect(await passed(leaving, 500)).toBe(500)
  expect(await passed(staying, 100)).toBe(100)
  await database.sql('truncate http.node')
  await introduce(staying)
  expect(await passed(staying, 1_000)).toBe(400)
})

test('a window that ends while its budget is drawn does not come back beside another', async () => {
  const drawn = Promise.withResolvers<void>()
  const query: Queryable['query'] = async (statement, values) => {
    const rows = await db.query(statement, values)
    if (statement.name === 'http.drawBudget') await drawn.promise
    return rows
  }
  const [slow, leaving] = [limiter({ ...db, query }), limiter()]
  await introduce(slow, leaving)
  const known = account
  const first = slow.check(known)
  runtime.pass(60_000)
  await database.sql('truncate http.node, http.rate_window')
  await introduce(slow)
  expect(await passed(slow, 1_500)).toBe(1_000)
  drawn.resolve()
  expect([await first, await slow.check(known)]).toEqual([undefined, 60])
})

test('a shared window refused to the end says truly how long to wait', async () => {
  const [one, other] = [limiter(), limiter()]
  await introduce(one, other)
  await passed(one, 1_000)
  const wait = (await other.check(account))!
  expect(wait).toBeGreaterThan(50)
  expect(wait).toBeLessThanOrEqual(60)
})

test('when the counter cannot be reached each node counts alone, with its share', async () => {
  const nodes = [limiter(withoutCounter()), limiter(withoutCounter())]
  await introduce(...nodes)
  expect(await passed(nodes[0]!, 1_000)).toBe(500)
  expect(await passed(nodes[1]!, 1_000)).toBe(500)
})

test('a call that counts as many passes only as a whole; refused, it counts as none', async () => {
  const limit = limiter()
  expect(await passed(limit, 950)).toBe(950)
  expect(await passed(limit, 1)).toBe(1)
  expect(await limit.checkMore(account, 50)).toBe(60)
  expect(await passed(limit, 1)).toBe(1)
  expect(await limit.checkMore(account, 49)).toBeUndefined()
  expect(await passed(limit, 1)).toBe(0)
})

test('two nodes: a call that counts as many passes only within the shared budget', async () => {
  const [one, other] = [limiter(), limiter()]
  await introduce(one, other)
  expect(await passed(one, 400)).toBe(400)
  for (let batch = 0; batch < 5; batch++) {
    expect(await passed(other, 1)).toBe(1)
    expect(await other.checkMore(account, 99)).toBeUndefined()
  }
  // 900 are used, and the first node holds no more than what it drew for its own.
  expect(await passed(other, 1)).toBe(1)
  expect(await other.checkMore(account, 100)).toBeGreaterThan(0)
  expect((await passed(other, 200)) + (await passed(one, 200))).toBe(100)
})

test('two nodes: a call of many that is refused leaves the shared budget as it was', async () => {
  const [one, other] = [limiter(), limiter()]
  await introduce(one, other)
  expect(await passed(one, 850)).toBe(850)
  expect(await passed(other, 1)).toBe(1)
  expect(await other.checkMore(account, 150)).toBeGreaterThan(0)
  expect(await other.checkMore(account, 199)).toBeGreaterThan(0)
  // The other node keeps the 50 that its own request drew.
  expect(await passed(one, 200)).toBe(100)
  expect(await passed(other, 200)).toBe(50)
})
