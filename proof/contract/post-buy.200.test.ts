// Proves: orders, ledger.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

const DAY_SECONDS = 86_400
const PRICE = 1_950_000

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
  client = await market.fundedAccount('1000')
})
afterAll(() => market.close())

const orderCount = async (account = client) => (await market.get(account, '/orders')).body.total

test('200 the Buy response; the price is deducted at once and the order is PENDING', async () => {
  const before = await market.balanceSun(client)
  const { status, body, headers } = await market.buy(client)
  expect(status).toBe(200)
  expect(body).toEqual({
    order_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
    status: 'PENDING',
    total_price_sun: PRICE,
    total_price_trx: '1.95',
    balance_after_sun: Number(before) - PRICE,
  })
  expect(headers.get('idempotency-replayed')).toBeNull()
  const [entry] = (await market.get(client, '/transactions')).body.transactions
  expect(entry).toMatchObject({
    entry_type: 'purchase',
    reference_id: body.order_id,
    amount_sun: -PRICE,
    balance_after_sun: body.balance_after_sun,
  })
})

test('resource_type and duration default to ENERGY and 1h; unknown fields are ignored', async () => {
  const body = { resource_type: 'ENERGY', duration: '1h', comment: 'hello', account_id: 'x' }
  const { status, body: bought } = await market.buy(client, { body })
  expect([status, bought.total_price_sun]).toEqual([200, PRICE])
})

test('the price is that of the estimate, with the VIP discount', async () => {
  const vip = await market.fundedAccount('10', { vip_discount_bps: 1_250 })
  const quoted = (await market.get(vip, '/estimate?resource_amount=65000')).body.total_price_sun
  const { body } = await market.buy(vip)
  expect([quoted, body.total_price_sun]).toEqual([1_706_250, 1_706_250])
})

test('min_amount and max_amount themselves can be bought', async () => {
  for (const resource_amount of [32_000, 5_000_000]) {
    const { status, body } = await market.buy(client, { body: { resource_amount } })
    expect([status, body.total_price_sun]).toEqual([200, resource_amount * 30])
  }
})

test('max_price_sun equal to the price is no obstacle', async () => {
  expect((await market.buy(client, { body: { max_price_sun: PRICE } })).status).toBe(200)
})

test('a balance of exactly the price is enough', async () => {
  const account = await market.fundedAccount('1.95')
  expect((await market.buy(account)).body).toMatchObject({ balance_after_sun: 0 })
})

test('a key may have spaces inside and any printable character', async () => {
  for (const key of ['two words', 'k'.repeat(128), `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`]) {
    const first = await market.buy(client, { key })
    const again = await market.buy(client, { key })
    expect([key, first.status, again.text]).toEqual([key, 200, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  }
})

test('a repeated key answers the first response byte for byte, with Idempotency-Replayed', async () => {
  const first = await market.buy(client, { key: 'same' })
  const count = await orderCount()
  const again = await market.buy(client, { key: 'same' })
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(await orderCount()).toBe(count)
})

test('a key reused for another purchase, even a refused one, answers the first response', async () => {
  const first = await market.buy(client, { key: 'reused' })
  const count = await orderCount()
  for (const body of [
    { resource_amount: 131_000 },
    { receiver_address: market.receivers[3] },
    { receiver_address: 'nonsense' },
    { resource_type: 'BANDWIDTH' },
    { resource_amount: 1 },
    { max_price_sun: 1 },
  ]) {
    const again = await market.buy(client, { key: 'reused', body })
    expect([body, again.status, again.text]).toEqual([body, 200, first.text])
  }
  expect(await orderCount()).toBe(count)
})

test('a replay needs neither a provider nor the selling switch nor the balance', async () => {
  const account = await market.fundedAccount('2')
  const first = await market.buy(account, { key: 'k' })
  expect(first.status).toBe(200)
  await market.settings({ purchases_enabled: false })
  await market.provider({ behaviour: 'down' })
  const again = await market.buy(account, { key: 'k' })
  await market.provider({ behaviour: 'ok' })
  await market.settings({ purchases_enabled: true })
  expect([again.status, again.text]).toEqual([200, first.text])
})

test('keys are scoped per account: the same key on another account is another purchase', async () => {
  const other = await market.fundedAccount('10')
  const mine = await market.buy(client, { key: 'shared' })
  const theirs = await market.buy(other, { key: 'shared' })
  expect([mine.status, theirs.status]).toEqual([200, 200])
  expect(theirs.body.order_id).not.toBe(mine.body.order_id)
})

test('a refused purchase leaves its key free: top up and send it again', async () => {
  const account = await market.newAccount()
  const poor = await market.buy(account, { key: 'later' })
  expect([poor.status, poor.body.detail.error]).toEqual([400, 'insufficient_balance'])
  const body = { from: market.receivers[2], to: account.deposit_address, amount_sun: 5_000_000 }
  await market.call('POST', '/sandbox/chain/transfer', { body })
  await market.advance(10)
  const bought = await market.buy(account, { key: 'later' })
  expect(bought.status).toBe(200)
  expect(bought.headers.get('idempotency-replayed')).toBeNull()
})

test('keys of 1 and of 128 visible characters are accepted', async () => {
  for (const key of ['!', '~'.repeat(128)]) {
    expect((await market.buy(client, { key })).status).toBe(200)
  }
})

test('without a key every request is a purchase', async () => {
  const [one, two] = [await market.buy(client), await market.buy(client)]
  expect(one.body.order_id).not.toBe(two.body.order_id)
})

test('a key replays for 24 hours and is a new purchase after that', async () => {
  const first = await market.buy(client, { key: 'daily' })
  await market.advance(DAY_SECONDS - 60)
  expect((await market.buy(client, { key: 'daily' })).text).toBe(first.text)
  await market.advance(120)
  const second = await market.buy(client, { key: 'daily' })
  expect(second.status).toBe(200)
  expect(second.headers.get('idempotency-replayed')).toBeNull()
  expect(second.body.order_id).not.toBe(first.body.order_id)
  expect((await market.buy(client, { key: 'daily' })).text).toBe(second.text)
})
