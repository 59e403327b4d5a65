// Proves: orders.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

const PRICE = 1_950_000
const AMOUNT = 65_000

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})
beforeEach(() => market.settings({ schedule: flatSchedule(30), purchases_enabled: true }))

const quote = (account: TestAccount, resource_amount: unknown = AMOUNT) =>
  market.call('POST', '/v1/quotes', { key: account.api_key, body: { resource_amount } })
const redeem = (account: TestAccount, quote_id: string, key?: string) =>
  market.buy(account, { body: { quote_id }, ...(key !== undefined && { key }) })
const INVALID = [400, '{"detail":{"error":"quote_invalid"}}']

test('200 id, price_sun and expires_at, 60 seconds later; nothing is charged', async () => {
  const account = await market.fundedAccount('10')
  const { status, body } = await quote(account)
  expect([status, body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resource_amount: AMOUNT,
      price_sun: PRICE,
      price_trx: '1.95',
      expires_at: expect.any(String),
    },
  ])
  const made = 'select created_at as at from orders.quote where id = $1'
  const [row] = await market.database.sql<{ at: Date }>(made, [body.id])
  expect(body.expires_at).toBe(new Date(row!.at.getTime() + 60_000).toISOString())
  expect(await market.balanceSun(account)).toBe(10_000_000n)
})

test('the price is held, with the discount of the account, when the hour steps up', async () => {
  const account = await market.fundedAccount('10', { vip_discount_bps: 1_000 })
  const { body } = await quote(account)
  expect(body.price_sun).toBe(1_755_000)
  await market.settings({ schedule: flatSchedule(60) })
  const bought = await redeem(account, body.id)
  expect([bought.status, bought.body.total_price_sun, bought.body.balance_after_sun]).toEqual([
    200, 1_755_000, 8_245_000,
  ])
  expect((await market.buy(account)).body.total_price_sun).toBe(3_510_000)
})

test('400 order_amount_below_minimum and order_amount_above_maximum, 422 what is no amount', async () => {
  const account = await market.newAccount()
  const refused = await Promise.all([31_999, 5_000_001, 0, '65000'].map((of) => quote(account, of)))
  const codes = refused.map(({ body: { detail } }) => detail.code ?? detail[0].type)
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 422, 422])
  expect(codes).toEqual([
    'order_amount_below_minimum',
    'order_amount_above_maximum',
    'greater_than',
    'int_type',
  ])
  const nothing = await market.call('POST', '/v1/quotes', { key: account.api_key })
  expect(nothing.status).toBe(422)
})

test('503 while nothing is sold', async () => {
  const account = await market.newAccount()
  await market.settings({ purchases_enabled: false })
  expect((await quote(account)).body.detail.error).toBe('service_unavailable')
  await market.settings({ purchases_enabled: true, schedule: flatSchedule(10) })
  expect((await quote(account)).body.detail.error).toBe('service_unavailable')
})

test('400 quote_invalid: another amount, another account, unknown, malformed, too late', async () => {
  const account = await market.fundedAccount('10')
  const stranger = await market.fundedAccount('10')
  const { id } = (await quote(account)).body
  const other = await market.buy(account, { body: { quote_id: id, resource_amount: 131_000 } })
  const absent = '01a1dd1e-0000-7000-8000-000000000000'
  const tried = [
    other,
    await redeem(stranger, id),
    await redeem(account, absent),
    await redeem(account, ''),
    await redeem(account, id.toUpperCase()),
  ]
  expect(tried.map(({ status, text }) => [status, text])).toEqual(tried.map(() => INVALID))
  // Another account's quote looks exactly like none.
  expect(tried[1]!.whole).toBe(tried[2]!.whole)
  await market.advance(61)
  const late = await redeem(account, id)
  expect([late.status, late.text]).toEqual(INVALID)
  expect(JSON.parse(late.whole).message).toMatch(/expired.*Nothing was charged/)
  expect(await market.balanceSun(account)).toBe(10_000_000n)
})

test('a quote is redeemed once, also by many purchases at once', async () => {
  const account = await market.fundedAccount('100')
  for (const keys of [[1, 2, 3, 4, 5, 6].map(String), Array(6).fill(undefined)]) {
    const { id } = (await quote(account)).body
    const answers = await Promise.all(keys.map((key) => redeem(account, id, key)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, text }) => [status, text])).toEqual(Array(5).fill(INVALID))
    expect((await redeem(account, id)).text).toBe(INVALID[1])
  }
  expect((await market.get(account, '/orders')).body.total).toBe(2)
  expect(await market.balanceSun(account)).toBe(100_000_000n - 2n * BigInt(PRICE))
})

test('the same key buys once and replays, whatever became of the quote', async () => {
  const account = await market.fundedAccount('100')
  const { id } = (await quote(account)).body
  const first = await redeem(account, id, 'order')
  expect(first.status).toBe(200)
  await market.advance(61)
  const again = await redeem(account, id, 'order')
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
})

test('503 where the cheapest plan costs more at redemption, and the quote stays open', async () => {
  const account = await market.fundedAccount('10')
  const { id } = (await quote(account)).body
  await market.provider({ price_sun: 31 })
  const refused = await redeem(account, id, 'k')
  expect([refused.status, refused.body.detail.error]).toEqual([503, 'service_unavailable'])
  await market.provider({ price_sun: 15 })
  expect((await redeem(account, id, 'k')).body.total_price_sun).toBe(PRICE)
})

test('a quote that the balance cannot pay stays open; max_price_sun is compared with its price', async () => {
  const account = await market.fundedAccount('1')
  const { id } = (await quote(account)).body
  const short = await redeem(account, id)
  expect(short.body.detail).toEqual({
    error: 'insufficient_balance',
    current_balance: 1_000_000,
    required_amount: PRICE,
  })
  const body = { quote_id: id, max_price_sun: PRICE - 1 }
  expect((await market.buy(account, { body })).body.detail).toEqual({
    error: 'price_above_limit',
    price_sun: PRICE,
  })
  const [row] = await market.database.sql('select order_id from orders.quote where id = $1', [id])
  expect(row).toEqual({ order_id: null })
})

test('400 quote_limit: 20 open quotes, and the twenty-first fits once one is redeemed', async () => {
  const account = await market.fundedAccount('100')
  const opened = await Promise.all(Array.from({ length: 22 }, () => quote(account)))
  const held = opened.filter(({ status }) => status === 200)
  expect(held).toHaveLength(20)
  const refused = opened.find(({ status }) => status !== 200)!
  expect([refused.status, refused.text]).toEqual([400, '{"detail":{"error":"quote_limit"}}'])
  expect(JSON.parse(refused.whole).message).toMatch(/20 open quotes/)
  expect((await redeem(account, held[0]!.body.id)).status).toBe(200)
  expect((await quote(account)).status).toBe(200)
  expect((await quote(account)).status).toBe(400)
})

test('400 quote_limit: max_amount Energy together', async () => {
  const account = await market.newAccount()
  expect((await quote(account, 4_900_000)).status).toBe(200)
  expect((await quote(account, 100_001)).text).toBe('{"detail":{"error":"quote_limit"}}')
  expect((await quote(account, 100_000)).status).toBe(200)
  await market.advance(61)
  expect((await quote(account, 5_000_000)).status).toBe(200)
})

test('400 quote_limit: ten quotes that ended unredeemed within an hour', async () => {
  const account = await market.fundedAccount('100')
  const opened = await Promise.all(Array.from({ length: 11 }, () => quote(account)))
  expect((await redeem(account, opened[0]!.body.id)).status).toBe(200)
  await market.advance(61)
  expect((await quote(account)).text).toBe('{"detail":{"error":"quote_limit"}}')
  await market.advance(3_600)
  expect((await quote(account)).status).toBe(200)
})
