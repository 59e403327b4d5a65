// Proves: webhooks, events.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { openTestApp, TEST_KEY, type TestAccount, type TestApp } from '../testing/app.ts'
import { openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'
import { verified } from '../testing/verifier.ts'

// A client gets an event for every change, at a real HTTPS receiver with its own verifier.

let app: TestApp
let receiver: Receiver
let client: TestAccount

beforeAll(async () => {
  receiver = await openReceiver()
  const webhooks = { secretsKey: TEST_KEY, network: testNetwork() }
  app = await openTestApp({ signer: true, webhooks })
  client = await app.newAccount({ deposit_trx: '100' })
  app.devnet.chain.mine()
  await until('the deposit', async () => (await account()).balance_trx === '100')
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const call = (method: string, path: string, body?: unknown) =>
  app.call(method, `/v1${path}`, { key: client.api_key, body })
const account = async () => (await call('GET', '/account')).body
const advance = (seconds: number) =>
  app.call('POST', '/sandbox/clock', { body: { advance_seconds: seconds } })

async function newWebhook(path: string, on: string[]) {
  const { body } = await call('GET', '/webhooks')
  const off = body.webhooks[0]?.events ?? {}
  const events = Object.fromEntries(Object.keys(off).map((type) => [type, false]))
  for (const type of on) events[type] = true
  const made = await call('POST', '/webhooks', { name: path, url: receiver.url(path), events })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body as { id: string; signing_secret: string }
}

const first = (path: string, type: string) =>
  until(`${type} at ${path}`, () =>
    receiver.at(path).find((got) => got.headers['x-service-event'] === type),
  )

test('an order that completes, a movement, a credit and a low balance are sent, signed and correct', async () => {
  await app.rooms.ledger.setLowThreshold(client.account_id, sun(99_500_000n))
  const all = {
    'balance.changed': true,
    'balance.low': true,
    'autoenergy.activated': true,
    'account.daily_summary': true,
  }
  const url = receiver.url('/all')
  const made = await call('POST', '/webhooks', { name: 'all', url, events: all })
  expect(made.status).toBe(201)
  const secret = made.body.signing_secret
  const order = await until('a purchase', async () => {
    const to = toBase58(app.devnet.chain.network.funded[1]!.address)
    const body = { receiver_address: to, resource_amount: 65_000 }
    const answer = await call('POST', '/buy', body)
    return answer.status === 200 && answer.body
  })
  await until('it is final', async () => {
    await app.mineWhenRead()
    return (await call('GET', `/order/${order.order_id}`)).body.status === 'COMPLETED'
  })
  const completed = verified(secret, await first('/all', 'order.status_changed'))
  expect(completed).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: 'order.status_changed',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    audience: 'customer',
    data: {
      order_id: order.order_id,
      status: 'COMPLETED',
      resource_type: 'ENERGY',
      resource_amount: '65000',
      receiver_address: toBase58(app.devnet.chain.network.funded[1]!.address),
      total_price_sun: order.total_price_sun,
      error_message: null,
    },
  })
  const movement = {
    entry_id: expect.any(String),
    entry_type: 'purchase',
    amount_sun: -order.total_price_sun,
    balance_sun: order.balance_after_sun,
    reference_id: order.order_id,
    threshold_sun: 99_500_000,
  }
  expect(verified(secret, await first('/all', 'balance.changed')).data).toEqual(movement)
  expect(verified(secret, await first('/all', 'balance.low')).data).toEqual(movement)

  const deposit = await app.call('POST', '/sandbox/chain/transfer', {
    body: {
      from: toBase58(app.devnet.chain.network.funded[0]!.address),
      to: client.deposit_address,
      amount_sun: 2_000_000,
    },
  })
  app.devnet.chain.mine()
  expect(verified(secret, await first('/all', 'balance.credited')).data).toEqual({
    entry_id: expect.any(String),
    entry_type: 'deposit',
    amount_sun: 2_000_000,
    balance_sun: order.balance_after_sun + 2_000_000,
    reference_id: deposit.body.txid,
  })
  const got = await first('/all', 'order.status_changed')
  expect(got.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'order.status_changed',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})

test('a day is summed up once, and each missed day once', async () => {
  const { signing_secret } = await newWebhook('/days', ['account.daily_summary'])
  const days = () =>
    receiver
      .at('/days')
      .map((got) => verified(signing_secret, got).data)
      .sort((a, b) => (a.date < b.date ? -1 : 1))
  const today = (await app.call('GET', '/sandbox/clock')).body.now.slice(0, 10)
  await advance(86_400)
  await until('the first day', () => days().length === 1)
  const price = 100_000_000 + 2_000_000 - Number((await account()).balance_trx) * 1e6
  expect(days()[0]).toEqual({
    date: today,
    completed_orders: 1,
    energy_received: '65000',
    spent_sun: Math.round(price),
    balance_sun: 102_000_000 - Math.round(price),
  })
  await advance(3 * 86_400)
  await until('three more days', () => days().length === 4)
  expect(new Set(days().map((day) => day.date)).size).toBe(4)
  expect(days().at(-1)).toMatchObject({ completed_orders: 0, energy_received: '0', spent_sun: 0 })
})

test('an event type that is off is not sent, and one that is turned on later is', async () => {
  const { id } = await newWebhook('/quiet', [])
  const marker = await newWebhook('/marker', ['balance.credited'])
  const credit = (reference: string) =>
    app.db.transaction((tx) =>
      app.rooms.ledger.post(tx, [
        {
          client: client.account_id,
          kind: 'adjustment',
          reference,
          amount: sun(1n),
          counter: 'equity:operator',
          description: 'a gift',
          trace: 'test',
        },
      ]),
    )
  await credit('one')
  await first('/marker', 'balance.credited')
  expect(receiver.at('/quiet')).toEqual([])
  const changed = await call('PATCH', `/webhooks/${id}`, { events: { 'balance.credited': true } })
  expect(changed.body.events['balance.credited']).toBe(true)
  await credit('two')
  await first('/quiet', 'balance.credited')
  expect(receiver.at('/quiet')).toHaveLength(1)
  expect(marker.id).toBeTruthy()
})

test('a test is one signed notification; a disabled webhook gets nothing else', async () => {
  const { id, signing_secret } = await newWebhook('/test', ['balance.changed'])
  expect((await call('PATCH', `/webhooks/${id}`, { status: 'disabled' })).body.status).toBe(
    'disabled',
  )
  const sent = await call('POST', `/webhooks/${id}/test`)
  expect([sent.status, sent.body]).toEqual([
    200,
    { delivered: true, delivery_id: expect.any(String) },
  ])
  const [got] = receiver.at('/test')
  expect(verified(signing_secret, got!)).toMatchObject({
    type: 'notification.test',
    audience: 'customer',
    data: { message: expect.any(String) },
  })
  expect(got!.headers['x-service-delivery']).toBe(sent.body.delivery_id)
  expect(Object.keys(verified(signing_secret, got!).data)).toEqual(['message'])
})

test('rotation: both secrets sign during the overlap, afterwards the new one alone', async () => {
  const { id, signing_secret: old } = await newWebhook('/rotate', [])
  const rotated = await call('POST', `/webhooks/${id}/rotate-secret`, { overlap_hours: 1 })
  const next = rotated.body.signing_secret
  expect([rotated.status, next === old]).toEqual([200, false])
  await call('POST', `/webhooks/${id}/test`)
  const [during] = receiver.at('/rotate')
  verified(old, during!)
  const nextSignature = during!.headers['x-service-signature-next']
  verified(next, {
    ...during!,
    headers: { ...during!.headers, 'x-service-signature': nextSignature },
  })
  await advance(3_601)
  await call('POST', `/webhooks/${id}/test`)
  const after = receiver.at('/rotate')[1]!
  verified(next, after)
  expect(after.headers['x-service-signature-next']).toBeUndefined()
  const last = (await call('POST', `/webhooks/${id}/rotate-secret`, { overlap_hours: 0 })).body
  await call('POST', `/webhooks/${id}/test`)
  verified(last.signing_secret, receiver.at('/rotate')[2]!)
  expect(receiver.at('/rotate')[2]!.headers['x-service-signature-next']).toBeUndefined()
})

test('rotation without a number of hours: both sign for 24 hours', async () => {
  const { id, signing_secret: old } = await newWebhook('/rotate-day', [])
  const next = (await call('POST', `/webhooks/${id}/rotate-secret`)).body.signing_secret
  await advance(23 * 3_600)
  await call('POST', `/webhooks/${id}/test`)
  const during = receiver.at('/rotate-day')[0]!
  verified(old, during)
  expect(during.headers['x-service-signature-next']).toMatch(/^v1=[0-9a-f]{64}$/)
  await advance(3_601)
  await call('POST', `/webhooks/${id}/test`)
  const after = receiver.at('/rotate-day')[1]!
  verified(next, after)
  expect(after.headers['x-service-signature-next']).toBeUndefined()
})
