import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type TestRuntime, testRuntime } from '../../proof/testing/runtime.ts'
import { createHousekeeping, type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { type ApiRequests, createApiRequests, retention } from './apiRequests.ts'

const DAY_MS = 86_400_000
const ALL = { status: [0, 999], route: '', before: null, limit: 100 } as const

let database: TestDatabase
let db: Db
let runtime: TestRuntime
let log: ApiRequests
let account: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  runtime = testRuntime()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  log = createApiRequests({ db, runtime, log: silentLog })
  account = runtime.ids.next()
  return () => db.close()
})

/** Each a millisecond after the one before: within one their ids have no order. */
function add(request: string, of = account) {
  runtime.clock.setAheadMs(runtime.clock.aheadMs() + 1)
  const common = { method: 'GET', route: '/v1/order/:id', status: 200, durationMs: 1.25 }
  log.add({ ...common, account: of, request, refusal: null })
}

const listed = async () => (await log.list(account, ALL)).map(({ request }) => request)
const writes = () => runtime.statements.filter((name) => name === 'http.insertRequests').length

test('an answer costs no statement, and many are written by one', async () => {
  for (const request of ['one', 'two', 'three']) add(request)
  expect(writes()).toBe(0)
  await log.loop.runOnce()
  await log.loop.runOnce()
  expect(writes()).toBe(1)
  expect(await listed()).toEqual(['three', 'two', 'one'])
})

test('too many at once are dropped and counted, and what waits is written at the end', async () => {
  for (let count = 0; count < 1_003; count++) add(String(count))
  expect(log.dropped()).toBe(3)
  await log.close()
  expect(writes()).toBe(1)
  expect((await listed())[0]).toBe('999')
})

test('while requests wait for a connection nothing is written', async () => {
  const busy: Db = { ...db, connections: () => ({ open: 2, idle: 0, waiting: 1 }) }
  log = createApiRequests({ db: busy, runtime, log: silentLog })
  add('one')
  await log.loop.runOnce()
  expect(writes()).toBe(0)
})

test('what the database does not take is dropped, and stops nothing after it', async () => {
  add('bad\0')
  await log.loop.runOnce()
  expect(log.dropped()).toBe(1)
  add('good')
  expect(await listed()).toEqual(['good'])
})

test('the last 10,000 of an account stay for seven days, and others of theirs', async () => {
  for (let count = 0; count < 10_000; count++) {
    add(`a${count}`)
    if (count % 1_000 === 999) await log.close()
  }
  const other = runtime.ids.next()
  add('c', other)
  for (let count = 0; count < 5; count++) add(`c${count}`)
  await log.close()
  const housekeeping = createHousekeeping({ db, clock: runtime.clock, log: silentLog }, retention)
  await housekeeping.runOnce()
  const kept = () =>
    database.sql<{ request: string }>(
      `select request from http.api_request where account_id in ('${account}', '${other}') order by id`,
    )
  const after = await kept()
  expect([after.length, after[0]!.request]).toEqual([10_001, 'a5'])
  runtime.clock.setAheadMs(8 * DAY_MS)
  expect(await listed()).toEqual([])
  while ((await housekeeping.runOnce()) > 0);
  expect(await kept()).toEqual([])
})
