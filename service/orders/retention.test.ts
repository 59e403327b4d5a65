import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { createHousekeeping, type Db, openDb } from '../db/index.ts'
import { silentLog, systemClock, systemRuntime } from '../kernel/index.ts'
import { retention } from './retention.ts'

const HOUR_MS = 3_600_000
const clock = systemClock()
const runtime = systemRuntime(clock)
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** Keys of one account, this many hours old. */
async function plant(hoursOld: number, count: number) {
  const account = runtime.ids.next()
  const at = new Date(clock.now().getTime() - hoursOld * HOUR_MS)
  await database.sql(`insert into identity.account (id, name, created_at) values ($1, 'x', $2)`, [
    account,
    at,
  ])
  await database.sql(
    `insert into orders.idempotency_key (account_id, key, order_id, response, created_at)
     select $1, 'key ' || n, gen_random_uuid(), '{}', $2 from generate_series(1, $3) n`,
    [account, at, count],
  )
  return async () =>
    (await database.sql('select from orders.idempotency_key where account_id = $1', [account]))
      .length
}

test('keys that still replay stay, older ones go in batches, all of them in the end', async () => {
  const young = await plant(24.99, 5)
  const old = await plant(25.5, 2_500)
  const loop = createHousekeeping({ db, clock, log: silentLog }, retention)
  loop.start()
  await until('the old ones are gone', async () => (await old()) === 0)
  expect(await young()).toBe(5)
  clock.setAheadMs(HOUR_MS)
  loop.wake()
  await until('their time has come', async () => (await young()) === 0)
  await loop.stop()
})

test('a key that a purchase is writing at this moment is left alone, and nobody waits for it', async () => {
  const rest = await plant(48, 3)
  const loop = createHousekeeping({ db, clock, log: silentLog }, retention)
  await db.transaction(async (tx) => {
    const lockOne = `select key from orders.idempotency_key where key = 'key 2' for update`
    await tx.query({ name: 'test.lockOne', text: lockOne })
    loop.start()
    await until('the others are gone', async () => (await rest()) === 1)
  })
  loop.wake()
  await until('the last one is gone', async () => (await rest()) === 0)
  await loop.stop()
})
