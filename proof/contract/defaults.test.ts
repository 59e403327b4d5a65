// Proves: agent, pricing, providers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'
import { signUp } from '../testing/visitor.ts'

// What a new sandbox begins with; prices, bounds and plans are in public-pricing.test.ts.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ signer: true })
})
afterAll(() => app.close())

test('the agent program is on, from 100 TRX, with 20 configurations, 5 of them dedicated', async () => {
  const { api_key } = await app.newAccount()
  const { body } = await app.call('GET', '/v1/agent/summary', { key: api_key })
  expect(body).toMatchObject({
    enabled: true,
    min_balance_sun: 100_000_000,
    max_configs: 20,
    max_generated: 5,
    max_units_cap: 10,
    energy_min: 32_000,
    energy_max: 5_000_000,
  })
})

test('no account has a discount or a low-balance threshold, and no margin is asked for', async () => {
  const visitor = await signUp(app.url)
  const referral = { basis_points: 0, earned_trx: '0', orders: 0 }
  expect((await visitor.call('GET', '/settings')).body).toEqual({ low_balance_trx: null, referral })
  const { account_id } = (await visitor.call('GET', '/session')).body
  const { pricing } = app.rooms
  const terms = pricing.terms()
  expect(terms.marginFloor).toBe(0n)
  const hour = new Date((await app.call('GET', '/sandbox/clock')).body.now).getUTCHours()
  expect(pricing.priceFor(account_id, 65_000n)).toBe(65_000n * terms.schedule[hour]!)
})

test('own stake costs 15 SUN and has room for 500,000,000 Energy', async () => {
  const own = await until('an offer', async () => {
    await app.rooms.providers.refresh()
    return app.rooms.providers.offers().find(({ provider }) => provider === 'own_stake')
  })
  expect(own.unitPrice).toBe(15n)
  // What the network gives for a stake is rounded, and a little is kept back.
  expect(Number(own.capacity)).toBeGreaterThan(499_000_000)
  expect(Number(own.capacity)).toBeLessThanOrEqual(500_000_000)
})
