// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
})
afterAll(() => market.close())

// One request with everything wrong; each step mends what was just complained about.
test('the checks come in the order of the contract', async () => {
  const account = await market.newAccount()
  await market.provider({ behaviour: 'down' })
  const request: { key?: string; body: Record<string, unknown>; headers: Record<string, string> } =
    {
      body: {
        receiver_address: 'nonsense',
        resource_amount: 0,
        resource_type: 'BANDWIDTH',
        duration: '2h',
        max_price_sun: 1,
      },
      headers: { 'idempotency-key': '' },
    }
  const complaint = async () => {
    const { status, body } = await market.call('POST', '/v1/buy', request)
    const { detail } = body
    if (typeof detail === 'string') return `${status} ${detail}`
    return `${status} ${Array.isArray(detail) ? detail[0].type : (detail?.error ?? detail?.code)}`
  }
  expect(await complaint()).toBe('401 API key required')
  request.key = account.api_key
  expect(await complaint()).toBe('422 greater_than')
  request.body.resource_amount = 1
  expect(await complaint()).toBe('400 invalid_idempotency_key')
  request.headers['idempotency-key'] = 'k'
  expect(await complaint()).toBe('400 unsupported_resource')
  request.body.resource_type = 'ENERGY'
  expect(await complaint()).toBe('400 invalid_duration')
  request.body.duration = '1h'
  expect(await complaint()).toBe('400 validation_error')
  request.body.receiver_address = market.receivers[1]
  expect(await complaint()).toBe('400 order_amount_below_minimum')
  request.body.resource_amount = 5_000_001
  expect(await complaint()).toBe('400 order_amount_above_maximum')
  request.body.resource_amount = 65_000
  expect(await complaint()).toBe('400 price_above_limit')
  delete request.body.max_price_sun
  expect(await complaint()).toBe('503 service_unavailable')
  await market.provider({ behaviour: 'ok' })
  expect(await complaint()).toBe('400 insufficient_balance')
})

test('a stored response comes before every refusal of the endpoint but the form of the key', async () => {
  const account = await market.fundedAccount('2')
  const first = await market.buy(account, { key: 'k' })
  await market.provider({ behaviour: 'down' })
  const body = { receiver_address: 'x', resource_amount: 1, resource_type: 'x', duration: 'x' }
  const replay = await market.buy(account, { key: 'k', body })
  expect([replay.status, replay.text]).toEqual([200, first.text])
  expect((await market.buy(account, { key: 'k', body: { resource_amount: 0 } })).status).toBe(422)
  await market.provider({ behaviour: 'ok' })
})
