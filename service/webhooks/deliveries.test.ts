import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { createHousekeeping, type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { retention } from './retention.ts'
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
     select uuidv7(-age::interval), $1, uuidv7(-age::interval), $2, clock_timestamp() - $3::interval, now() - age::interval
       from unnest($4::text[]) as age`,
    [webhook, state, late, ages],
  )

async function addWebhook(removed = false): Promise<string> {
  const [account, webhook] = [runtime.ids.next(), runtime.ids.next()]
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [account],
  )
  await database.sql(
    `insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at, removed_at)
     values ($1, $2, 'x', 'x', '{}', 'active', '', now(), case when $3 then now() end)`,
    [webhook, account, removed],
  )
  return webhook
}
const clean = () =>
  createHousekeeping({ db, clock: runtime.clock, log: silentLog }, retention).runOnce()
const leftOf = (webhook: string) =>
  database.sql(
    `select count(*)::int as count, min(created_at) > now() - interval '30 days' as young
       from webhooks.delivery where webhook_id = $1`,
    [webhook],
  )

test('a delivery is kept for 30 days, and goes without the younger ones of its webhook', async () => {
  const webhooks = [await addWebhook(), await addWebhook()]
  const ages = ['31 days', '30 days 1 minute', '29 days 23 hours', '0']
  for (const each of webhooks) await queue(each, { ages, state: 'delivered' })
  await clean()
  for (const each of webhooks) expect(await leftOf(each)).toEqual([{ count: 2, young: true }])
})

test('deliveries of a removed webhook go at once, and then the webhook', async () => {
  const webhook = await addWebhook(true)
  await queue(webhook, { ages: ['1 day', '0'], state: 'delivered' })
  await clean()
  await clean()
  expect(await leftOf(webhook)).toEqual([{ count: 0, young: null }])
  expect(await database.sql('select from webhooks.endpoint where id = $1', [webhook])).toEqual([])
})

test('a message goes a day after its deliveries, and not while it was sent again', async () => {
  const event = async (queued: string) =>
    (
      await database.sql<{ id: string }>(
        `insert into webhooks.message (event_id, type, trace, body, created_at)
         values (uuidv7('-40 days'::interval), 't', 't', '{}', now() - $1::interval) returning event_id as id`,
        [queued],
      )
    )[0]!.id
  const gone = await event('31 days 1 minute')
  const again = await event('1 day')
  await clean()
  const left = await database.sql<{ id: string }>('select event_id as id from webhooks.message')
  expect(left.map(({ id }) => id)).toEqual([again])
  expect(left.map(({ id }) => id)).not.toContain(gone)
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
