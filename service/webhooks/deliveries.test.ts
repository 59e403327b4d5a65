import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { createDeliveries } from './deliveries.ts'
import { readPulse } from './webhooks.sql.ts'

const runtime = systemRuntime()
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

/** One delivery for each age; times are SQL intervals before now. */
const queue = (webhook: string, { ages = ['0'], late = '0', state = 'pending' }) =>
  database.sql(
    `insert into webhooks.delivery (id, webhook_id, event_id, state, due_at, created_at)
     select uuidv7(), $1, uuidv7(), $2, clock_timestamp() - $3::interval, now() - age::interval
       from unnest($4::text[]) as age`,
    [webhook, state, late, ages],
  )

test('a delivery is kept for 30 days, and goes without the younger ones of its webhook', async () => {
  const [webhook, other] = [runtime.ids.next(), runtime.ids.next()]
  const ages = ['31 days', '30 days 1 minute', '29 days 23 hours', '0']
  for (const each of [webhook, other]) await queue(each, { ages, state: 'delivered' })
  const { pruning } = createDeliveries({ db, runtime, log: silentLog, onQueued() {} })
  expect(await pruning.runOnce()).toBe(4)
  const left = await database.sql(
    `select count(*)::int as count, min(created_at) > now() - interval '30 days' as young
       from webhooks.delivery group by webhook_id`,
  )
  expect(left).toEqual([
    { count: 2, young: true },
    { count: 2, young: true },
  ])
})

test('a delivery is overdue a minute after it should have been sent', async () => {
  const webhook = runtime.ids.next()
  await queue(webhook, { late: '61 seconds' })
  await queue(webhook, { late: '61 seconds', state: 'failed' })
  // Slightly in the future, so that a busy machine does not make it late.
  await queue(webhook, { late: '-30 seconds' })
  const now = runtime.clock.now()
  expect(await db.query(readPulse, [now, now])).toEqual([{ disabled: 0n, overdue: 1n }])
})
