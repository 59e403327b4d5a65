// Proves: webhooks, events, sandbox-api.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

// Retries follow the sandbox's clock; only the timestamp in the signature is real time.

const DAY_MS = 86_400_000
/** Tolerance between two readings of a clock on a busy machine. */
const MINUTES_MS = 300_000

let app: TestApp
let client: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  client = await app.newAccount({ deposit_trx: '2' })
  app.devnet.chain.mine()
  await until('the credit', async () => (await call('GET', '/account')).body.balance_trx === '2')
  await advance(DAY_MS / 1_000)
})
afterAll(() => app.close())

const call = (method: string, path: string, body?: unknown) =>
  app.call(method, `/v1${path}`, { key: client.api_key, body })
const sandbox = async (path: string, body?: unknown) =>
  (await app.call(body === undefined ? 'GET' : 'POST', `/sandbox${path}`, { body })).body
const advance = (seconds: number) => sandbox('/clock', { advance_seconds: seconds })

test('retries are due when the clock says so; times are those of the clock, the timestamp is real', async () => {
  const sink = await sandbox('/webhook-sink', {})
  await sandbox(`/webhook-sink/${sink.id}`, { answer: 500 })
  const events = { 'balance.credited': true }
  const { id } = (await call('POST', '/webhooks', { name: 'sink', url: sink.url, events })).body
  const posting = {
    client: client.account_id,
    kind: 'adjustment' as const,
    reference: 'a gift',
    amount: sun(1n),
    counter: 'equity:operator' as const,
    description: 'a gift',
    trace: 'test',
  }
  await app.db.transaction((tx) => app.rooms.ledger.post(tx, [posting]))
  const tried = (attempts: number) =>
    until(`attempt ${attempts}`, async () => {
      const [one] = (await call('GET', `/webhooks/${id}/deliveries`)).body.deliveries
      return one?.attempts === attempts && one
    })
  await tried(1)
  await advance(10)
  await tried(2)
  await advance(40)
  await tried(3)
  // The next pause is two minutes, longer than this test waits.
  await sandbox(`/webhook-sink/${sink.id}`, { answer: 200 })
  await advance(150)
  const done = await tried(4)
  expect(done).toMatchObject({ status: 'delivered', response_status: 200, reason: null })
  const aheadMs = (time: string) => Math.abs(Date.parse(time) - DAY_MS - Date.now())
  for (const time of [done.created_at, done.attempted_at, done.delivered_at]) {
    expect(aheadMs(time)).toBeLessThan(MINUTES_MS)
  }
  const { deliveries } = await sandbox(`/webhook-sink/${sink.id}`)
  const { headers, raw_body } = deliveries.at(-1)
  expect(aheadMs(JSON.parse(raw_body).created_at)).toBeLessThan(MINUTES_MS)
  const signedMs = Number(headers['x-service-timestamp']) * 1_000
  expect(Math.abs(signedMs - Date.now())).toBeLessThan(MINUTES_MS)
})
