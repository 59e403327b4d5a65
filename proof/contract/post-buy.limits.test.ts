// Proves: orders, pricing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { testRuntime } from '../testing/runtime.ts'

const runtime = testRuntime()
let market: Market
beforeAll(async () => {
  market = await openMarket({ runtime, requestsPerMinute: 5 })
  await market.settings({ schedule: flatSchedule(30) })
})
afterAll(() => market.close())

test('429 Rate limit exceeded, with Retry-After; the key is not used up', async () => {
  const client = await market.fundedAccount('100')
  for (let call = 0; call < 5; call++)
    expect((await market.get(client, '/account')).status).toBe(200)
  const limited = await market.buy(client, { key: 'again' })
  expect([limited.status, limited.text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
  const wait = Number(limited.headers.get('retry-after'))
  expect(wait).toBeGreaterThanOrEqual(1)
  expect(wait).toBeLessThanOrEqual(60)
  runtime.pass(wait * 1_000)
  // The clock jumped, so the service must read the scanner's cursor again before it sells.
  await market.rooms.chain.lag.look()
  const bought = await market.buy(client, { key: 'again' })
  expect(bought.status).toBe(200)
  expect(bought.headers.get('idempotency-replayed')).toBeNull()
})

test('401 API key required, Invalid API key, User not found', async () => {
  const { account_id, api_key } = await market.newAccount()
  const buy = (key: string | undefined) =>
    market.call('POST', '/v1/buy', { body: {}, ...(key !== undefined && { key }) })
  expect((await buy(undefined)).text).toBe('{"detail":"API key required"}')
  expect((await buy(`erg_${'A'.repeat(43)}`)).text).toBe('{"detail":"Invalid API key"}')
  await market.call('POST', `/sandbox/accounts/${account_id}/remove-user`)
  const orphaned = await buy(api_key)
  expect([orphaned.status, orphaned.text]).toEqual([401, '{"detail":"User not found"}'])
})
