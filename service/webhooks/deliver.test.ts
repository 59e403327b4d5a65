import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { openReceiver, type Receiver, testNetwork } from '../../proof/testing/receiver.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { createAttempts } from './attempt.ts'
import { createClient } from './client.ts'
import { createDelivering } from './deliver.ts'
import { createSecrets } from './secrets.ts'

const BEFORE_OUTCOME = 'commit after webhooks.recordAttempts'
const steps: string[] = []
let refuses = false
const runtime = {
  ...systemRuntime(),
  step: async (name: string) => {
    steps.push(name)
    if (refuses && name === BEFORE_OUTCOME) throw new Error('the disk is full')
  },
}
const secrets = createSecrets(new Uint8Array(32).fill(7), runtime.random)
const client = createClient(testNetwork(), undefined)
let database: TestDatabase
let db: Db
let receiver: Receiver
beforeAll(async () => {
  receiver = await openReceiver()
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
  await receiver.close()
})

/** A webhook with one due delivery. */
async function newWebhook(url: string): Promise<string> {
  const [owner, id] = [runtime.ids.next(), runtime.ids.next()]
  await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [owner])
  await database.sql(
    `insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at)
     values ($1, $2, 'x', $3, '{}', 'active', $4, now())`,
    [id, owner, url, secrets.seal(id, secrets.create())],
  )
  await database.sql(`insert into webhooks.queue (webhook_id, due_at) values ($1, now())`, [id])
  await database.sql(
    `with message as (insert into webhooks.message select $2, 'balance.changed', 't', '{}', now())
     insert into webhooks.delivery (id, webhook_id, event_id, state, due_at, created_at)
     values (uuidv7(), $1, $2, 'pending', now(), now())`,
    [id, runtime.ids.next()],
  )
  return id
}

test('an outcome that could not be written is written before queues are read again', async () => {
  const webhook = await newWebhook(receiver.url('/'))
  const logged: string[] = []
  const log = { ...silentLog, error: (event: string) => void logged.push(event) }
  const attempts = createAttempts({ runtime, client, secrets })
  const parts = {
    db,
    runtime,
    log,
    attempts,
    disable: async () => {},
    abortExchanges: client.close,
  }
  const delivering = createDelivering(parts)
  refuses = true
  await delivering.runOnce()
  await until('the refusal', () => logged.includes('webhook_outcomes_not_written'))
  refuses = false
  steps.length = 0
  await delivering.runOnce()
  expect(steps.slice(0, 2)).toEqual([BEFORE_OUTCOME, 'committed after webhooks.recordAttempts'])
  const attempted = `select attempts from webhooks.delivery where webhook_id = $1`
  expect(await database.sql(attempted, [webhook])).toEqual([{ attempts: 1 }])
  await delivering.stop()
  expect(receiver.at('/')).toHaveLength(1)
})
