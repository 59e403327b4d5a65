import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/house.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('100')
})
afterAll(async () => {
  expect(await market.balanceSun(client)).toBe(100_000_000n)
  await market.close()
})
beforeEach(async () => {
  await market.settings({ schedule: flatSchedule(30), purchases_enabled: true })
  await market.provider({ behaviour: 'ok', price_sun: 15 })
})

async function expectUnavailable(account = client) {
  for (const key of [undefined, 'free']) {
    const { status, body } = await market.buy(account, key === undefined ? {} : { key })
    expect([key, status, body]).toEqual([
      key,
      503,
      {
        detail: {
          error: 'service_unavailable',
          message: expect.stringMatching(/Nothing was charged/),
        },
      },
    ])
  }
}

test('503 service_unavailable carries message: no provider can be reached', async () => {
  await market.provider({ behaviour: 'down' })
  await expectUnavailable()
})

test('503 service_unavailable carries message: selling is switched off', async () => {
  await market.settings({ purchases_enabled: false })
  await expectUnavailable()
})

test('503 service_unavailable carries message: the margin would be negative', async () => {
  await market.provider({ price_sun: 31 })
  await expectUnavailable()
  await market.provider({ price_sun: 30 })
  await expectUnavailable(await market.fundedAccount('100', { vip_discount_bps: 1 }))
})

test('503 service_unavailable comes before insufficient_balance', async () => {
  await market.provider({ behaviour: 'down' })
  await expectUnavailable(await market.newAccount())
})

test('500 internal_error carries message; nothing was sold, and the same key may be sent again', async () => {
  const rename = (from: string, to: string) =>
    market.database.sql(`alter table orders.${from} rename to ${to}`)
  const account = await market.fundedAccount('100')
  await rename('purchase_order', 'hidden')
  try {
    for (const key of [undefined, 'once']) {
      const { status, body } = await market.buy(account, key === undefined ? {} : { key })
      expect([status, body]).toEqual([
        500,
        {
          detail: {
            error: 'internal_error',
            message: expect.stringMatching(/same Idempotency-Key/),
          },
        },
      ])
    }
  } finally {
    await rename('hidden', 'purchase_order')
  }
  expect(await market.balanceSun(account)).toBe(100_000_000n)
  const bought = await market.buy(account, { key: 'once' })
  expect(bought.status).toBe(200)
  expect(bought.headers.get('idempotency-replayed')).toBeNull()
})
