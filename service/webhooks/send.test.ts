import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { rowsTouched } from '../../proof/testing/touched.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { jsonColumn } from './columns.ts'
import { readDue } from './deliver.sql.ts'
import { lockEndpoint } from './endpoints.sql.ts'
import { recordAttempts } from './record.sql.ts'
import { failPending } from './store.ts'

const runtime = systemRuntime()
const webhook = runtime.ids.next()
const TAKEN = 10
const WAITING = 3_000
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  // One connection: it keeps the plans that it made while the queue was nearly empty.
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
  await queue(1)
  await database.sql('analyze webhooks.delivery, webhooks.message')
  for (let time = 0; time < 10; time++) await record((await read()).map(({ id }) => id))
  await queue(WAITING)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

// Rows are due at whole milliseconds. The service's clock has no microseconds, so a row that is due some
// microseconds later would not be read in the same millisecond.
const queue = (count: number) =>
  database.sql(
    `with news as (select uuidv7() as delivery, uuidv7() as event from generate_series(1, $2)),
          message as (insert into webhooks.message select event, 'balance.changed', 't', '{}', now() from news)
     insert into webhooks.delivery (id, webhook_id, event_id, state, due_at, created_at)
     select delivery, $1, event, 'pending', date_trunc('milliseconds', now()), now() from news`,
    [webhook, count],
  )

const read = () => db.query(readDue, [[webhook], [TAKEN], [], runtime.clock.now()])

const outcomesOf = (ids: string[]) => {
  const all = <T>(value: T) => ids.map(() => value)
  const outcome = [all('delivered'), all(0), all(200), all(null)]
  return [ids, all(webhook), ...outcome, runtime.clock.now(), 72, jsonColumn(all('{}'))]
}
const record = (ids: string[]) => db.query(recordAttempts, outcomesOf(ids))

const failureOf = (id: string) => outcomesOf([id]).with(2, ['failed'])

const message = { schema: 'webhooks', table: 'message' }
const delivery = { schema: 'webhooks', table: 'delivery' }

test.each([
  ['what is read does not grow with what waits', ''],
  ['nor by a plan that was made anew', 'alter table webhooks.delivery set (fillfactor = 84)'],
])('%s', async (_, change) => {
  if (change) await database.sql(change)
  await db.transaction(async (tx) => {
    const ask = () => tx.query(readDue, [[webhook], [TAKEN], [], runtime.clock.now()])
    expect(await ask()).toHaveLength(TAKEN)
    expect(await rowsTouched(tx, message, ask)).toBe(TAKEN)
    expect(await rowsTouched(tx, delivery, ask)).toBeLessThan(TAKEN * 2)
  })
})

test('what an outcome costs does not grow with what waits', async () => {
  const ids = (await read()).map(({ id }) => id)
  await db.transaction(async (tx) => {
    const write = () => tx.query(recordAttempts, outcomesOf(ids))
    expect(await rowsTouched(tx, delivery, write)).toBe(TAKEN)
  })
  const left = await database.sql(
    `select count(*)::int as count from webhooks.delivery where state = 'pending'`,
  )
  expect(left).toEqual([{ count: WAITING - TAKEN }])
})

test('disabling a webhook and writing its outcomes take their locks in one order', async () => {
  const [owner, due] = [runtime.ids.next(), (await read())[0]!]
  await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [owner])
  await database.sql(
    `insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at)
     values ($1, $2, 'x', 'https://x.test', '{}', 'active', '', now())`,
    [webhook, owner],
  )
  let recorded: Promise<unknown> | undefined
  const disabling = await openDb({
    urls: [database.url('ergon_app')],
    connections: 1,
    runtime,
    log: silentLog,
    name: 'owner',
  })
  onTestFinished(() => disabling.close())
  await disabling.transaction(async (tx) => {
    await tx.query(lockEndpoint, [owner, webhook])
    recorded = db.query(recordAttempts, failureOf(due.id))
    await until('the outcome waits for the webhook', async () => {
      const waiting = await database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
    await tx.query(failPending, [webhook, 'webhook_disabled'])
  })
  expect(await recorded).toMatchObject([{ id: webhook, failures: 1 }])
})

test('late news of a delivery that is settled changes nothing', async () => {
  await queue(1)
  const [first] = await read()
  await record([first!.id])
  await db.query(recordAttempts, failureOf(first!.id))
  const rows = await database.sql(`select state, attempts from webhooks.delivery where id = $1`, [
    first!.id,
  ])
  expect(rows).toEqual([{ state: 'delivered', attempts: 1 }])
})
