import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { readLateness } from './webhooks.sql.ts'

const runtime = testRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const id = (nth: number) => `01930000-0000-7000-8000-0000000000${String(nth).padStart(2, '0')}`

/** A webhook of an account of its own, with a delivery that is due since two minutes. */
async function endpoint(nth: number, times: { success: string | null; failure: string | null }) {
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [id(nth)],
  )
  await database.sql(
    `insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at, last_success_at, last_failure_at)
     values ($1, $1, '', '', '{}', 'active', '', now(), now() - $2::interval, now() - $3::interval)`,
    [id(nth), times.success, times.failure],
  )
  await database.sql(
    `insert into webhooks.delivery (id, webhook_id, event_id, state, due_at, created_at)
     values ($1, $1, $1, 'pending', now() - interval '2 minutes', now())`,
    [id(nth)],
  )
}

async function lateness() {
  const now = runtime.clock.now()
  return (await db.query(readLateness, [now, new Date(now.getTime() - 3_600_000)]))[0]
}

test('deliveries that wait for a receiver that fails are not ours to be late with', async () => {
  expect(await lateness()).toEqual({ late: 0n, active: 0n })
  await endpoint(1, { success: '10 minutes', failure: '1 minute' })
  await endpoint(2, { success: null, failure: '1 minute' })
  expect(await lateness()).toEqual({ late: 0n, active: 1n })
  await endpoint(3, { success: '5 minutes', failure: '1 hour' })
  await endpoint(4, { success: null, failure: null })
  expect(await lateness()).toEqual({ late: 2n, active: 3n })
})
