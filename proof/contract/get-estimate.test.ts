// Proves: orders, pricing.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  client = await market.newAccount()
})
afterAll(() => market.close())
beforeEach(async () => {
  await market.settings({ schedule: flatSchedule(30), purchases_enabled: true })
  await market.provider({ behaviour: 'ok', price_sun: 15 })
})

const estimate = (query: string, account = client) => market.get(account, `/estimate?${query}`)

test('200 the Estimate object', async () => {
  const { status, body } = await estimate('resource_amount=65000')
  expect(status).toBe(200)
  expect(body).toEqual({
    total_price_sun: 1_950_000,
    total_price_trx: '1.95',
    min_amount: 32_000,
    max_amount: 5_000_000,
  })
})

test('resource_type and duration default to ENERGY and 1h', async () => {
  const plain = await estimate('resource_amount=65000')
  const full = await estimate('resource_amount=65000&resource_type=ENERGY&duration=1h')
  expect(full.text).toBe(plain.text)
})

test('the price follows the schedule from one UTC hour to the next', async () => {
  const schedule = Array.from({ length: 24 }, (_, hour) => 24 + hour)
  await market.settings({ schedule })
  const hourNow = async () =>
    new Date((await market.call('GET', '/sandbox/clock')).body.now).getUTCHours()
  for (let round = 0; round < 3; round++) {
    const { body } = await estimate('resource_amount=100000')
    expect(body.total_price_sun).toBe(100_000 * schedule[await hourNow()]!)
    await market.advance(3_600)
  }
})

test('a VIP discount is taken off in basis points and rounded up', async () => {
  const vip = await market.newAccount({ vip_discount_bps: 333 })
  const { body } = await estimate('resource_amount=32001', vip)
  expect(body.total_price_sun).toBe(Math.ceil((32_001 * 30 * (10_000 - 333)) / 10_000))
  expect((await estimate('resource_amount=32001')).body.total_price_sun).toBe(960_030)
})

test('outside the bounds: 200 with the list price and the bounds, without asking providers', async () => {
  await market.provider({ behaviour: 'down' })
  await market.settings({ purchases_enabled: false })
  for (const amount of [1, 31_999, 5_000_001, Number.MAX_SAFE_INTEGER]) {
    const { status, body, text } = await estimate(`resource_amount=${amount}`)
    expect([amount, status]).toEqual([amount, 200])
    expect(body).toMatchObject({ min_amount: 32_000, max_amount: 5_000_000 })
    expect(text).toContain(`"total_price_sun":${BigInt(amount) * 30n},`)
  }
})

test('the bounds themselves are inside', async () => {
  for (const amount of [32_000, 5_000_000]) {
    expect((await estimate(`resource_amount=${amount}`)).status).toBe(200)
  }
  await market.provider({ behaviour: 'down' })
  for (const amount of [32_000, 5_000_000]) {
    expect((await estimate(`resource_amount=${amount}`)).status).toBe(503)
  }
})

test('400 unsupported_resource: resource_type other than ENERGY', async () => {
  for (const type of ['BANDWIDTH', 'energy', '', 'ENERGY%20']) {
    const { status, text } = await estimate(`resource_amount=65000&resource_type=${type}`)
    expect([status, text]).toEqual([400, '{"detail":{"error":"unsupported_resource"}}'])
  }
})

test('400 invalid_duration: duration other than 1h', async () => {
  for (const duration of ['2h', '1H', '', '3600']) {
    const { status, text } = await estimate(`resource_amount=65000&duration=${duration}`)
    expect([status, text]).toEqual([400, '{"detail":{"error":"invalid_duration"}}'])
  }
})

const unavailable = {
  detail: { error: 'service_unavailable', message: expect.stringMatching(/Nothing was charged/) },
}

test('503 service_unavailable carries message: the provider is down', async () => {
  await market.provider({ behaviour: 'down' })
  const { status, body } = await estimate('resource_amount=65000')
  expect([status, body]).toEqual([503, unavailable])
})

test('503 service_unavailable carries message: selling is off', async () => {
  await market.settings({ purchases_enabled: false })
  const { status, body } = await estimate('resource_amount=65000')
  expect([status, body]).toEqual([503, unavailable])
})

test('503 service_unavailable carries message: it would be sold at a loss', async () => {
  await market.provider({ price_sun: 30 })
  expect((await estimate('resource_amount=65000')).status).toBe(200)
  await market.provider({ price_sun: 31 })
  const { status, body } = await estimate('resource_amount=65000')
  expect([status, body]).toEqual([503, unavailable])
  await market.provider({ price_sun: 30 })
  const vip = await market.newAccount({ vip_discount_bps: 1 })
  expect((await estimate('resource_amount=65000', vip)).status).toBe(503)
})

test('422 resource_amount missing, zero, negative, too large, or not an integer', async () => {
  for (const [query, type] of [
    ['', 'missing'],
    ['resource_amount=0', 'greater_than'],
    ['resource_amount=-1', 'greater_than'],
    ['resource_amount=9007199254740992', 'less_than_equal'],
    ['resource_amount=65000.0', 'int_type'],
    ['resource_amount=6.5e4', 'int_type'],
    ['resource_amount=0x10', 'int_type'],
    ['resource_amount=', 'int_type'],
    ['resource_amount=1&resource_amount=2', 'int_type'],
  ] as const) {
    const { status, body } = await estimate(query)
    const fault = { loc: ['query', 'resource_amount'], msg: expect.any(String), type }
    expect([query, status, body]).toEqual([query, 422, { detail: [fault] }])
  }
})

test('401 without a key', async () => {
  const { status, text } = await market.call('GET', '/v1/estimate?resource_amount=65000')
  expect([status, text]).toEqual([401, '{"detail":"API key required"}'])
})
