// Proves: orders, providers.
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Answer, TestAccount } from '../testing/app.ts'
import { holdAccount } from '../testing/holdAccount.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

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

test('503 service_unavailable carries message: less than the least margin would stay', async () => {
  const { pricing } = market.rooms
  const account = await market.fundedAccount('100')
  await market.provider({ price_sun: 25 })
  await pricing.changeTerms({ marginFloor: 6n })
  await expectUnavailable()
  const quote = await market.get(account, '/estimate?resource_amount=65000')
  expect(quote.status).toBe(503)
  await pricing.changeTerms({ marginFloor: 5n })
  expect((await market.buy(account)).status).toBe(200)
  await pricing.changeTerms({ marginFloor: 0n })
})

test('503 service_unavailable comes before insufficient_balance', async () => {
  await market.provider({ behaviour: 'down' })
  await expectUnavailable(await market.newAccount())
})

const rename = (from: string, to: string) =>
  market.database.sql(`alter table orders.${from} rename to ${to}`)

test('500 internal_error carries message; nothing was sold, and the same key may be sent again', async () => {
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
            // Who has no key must not just send it again.
            message: expect.stringMatching(key ? /same Idempotency-Key/ : /GET \/orders/),
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

/** Runs `work` while nobody can ask a provider for its offer. */
async function withoutReadings(work: () => Promise<void>) {
  const client = new pg.Client({ connectionString: market.database.url('ergon_admin') })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select from providers.provider for update')
    await work()
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

/** A purchase whose connection is cut while it is being made. */
async function cutOff(account: TestAccount): Promise<Answer> {
  let buying: Promise<Answer> | undefined
  await holdAccount(market.database, account.account_id, async () => {
    buying = market.buy(account)
    await until('it waits for the account, and is cut', async () => {
      const cut = await market.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%orders.buy_one%'`,
      )
      return cut.length > 0
    })
    await buying
  })
  return buying!
}

test('500 internal_error: what may have been sold is not sold again before its offer is read anew', async () => {
  const [first, second] = [await market.fundedAccount('100'), await market.fundedAccount('100')]
  await market.provider({ capacity: 65_000 })
  await withoutReadings(async () => {
    const { status, body } = await cutOff(first)
    expect([status, body.detail.error]).toEqual([500, 'internal_error'])
    expect((await market.buy(second)).status).toBe(503)
  })
  await until('it is on offer again', async () => (await market.buy(second)).status === 200)
  await market.provider({ capacity: 500_000_000 })
})

test.each(['each', 'all'])(
  '500 internal_error: a batch %s that cannot be prepared leaves the offer as it was',
  async (mode) => {
    const account = await market.fundedAccount('100')
    const item = { receiver_address: market.receivers[1], resource_amount: 65_000 }
    const purchases = [
      { ...item, idempotency_key: 'first' },
      { ...item, idempotency_key: 'second', quote_id: account.account_id },
    ]
    await market.provider({ capacity: 65_000 })
    await withoutReadings(async () => {
      await rename('quote', 'hidden')
      const body = { purchases, mode }
      const failed = await market.call('POST', '/v1/buy/batch', { key: account.api_key, body })
      await rename('hidden', 'quote')
      expect(failed.status).toBe(500)
      expect((await market.buy(account)).status).toBe(200)
    })
    await market.provider({ capacity: 500_000_000 })
  },
)
