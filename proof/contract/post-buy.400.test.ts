// Proves: orders.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

const PRICE = 1_950_000

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
  client = await market.fundedAccount('100')
})
afterAll(async () => {
  // Nothing in this file was sold or charged.
  expect(await market.balanceSun(client)).toBe(100_000_000n)
  expect((await market.get(client, '/orders')).body.total).toBe(0)
  await market.close()
})

async function refused(body: Record<string, unknown>, account = client) {
  const plain = await market.buy(account, { body })
  const keyed = await market.buy(account, { body, key: 'free' })
  expect([keyed.status, keyed.text]).toEqual([plain.status, plain.text])
  return plain
}

test('400 unsupported_resource: resource_type other than ENERGY', async () => {
  for (const resource_type of ['BANDWIDTH', 'energy', '']) {
    const { status, text } = await refused({ resource_type })
    expect([status, text]).toEqual([400, '{"detail":{"error":"unsupported_resource"}}'])
  }
})

test('400 invalid_duration: duration other than 1h', async () => {
  for (const duration of ['3h', '1H', '60m', '']) {
    const { status, text } = await refused({ duration })
    expect([status, text]).toEqual([400, '{"detail":{"error":"invalid_duration"}}'])
  }
})

test('400 invalid_idempotency_key: empty, longer than 128, or not printable ASCII', async () => {
  for (const key of ['', '   ', 'k'.repeat(129), 'k'.repeat(500), 'é', 'x\ty']) {
    const { status, text } = await market.buy(client, { key })
    expect([key, status, text]).toEqual([
      key,
      400,
      '{"detail":{"error":"invalid_idempotency_key"}}',
    ])
  }
})

test('400 insufficient_balance carries current_balance and required_amount, and no message', async () => {
  const poor = await market.newAccount()
  const none = await refused({}, poor)
  expect([none.status, none.body]).toEqual([
    400,
    { detail: { error: 'insufficient_balance', current_balance: 0, required_amount: PRICE } },
  ])
  const short = await market.fundedAccount('1.949999')
  const oneSunShort = await refused({}, short)
  expect(oneSunShort.text).toBe(
    '{"detail":{"error":"insufficient_balance","current_balance":1949999,"required_amount":1950000}}',
  )
})

test('current_balance is what can be spent: less reserves and withheld deposits', async () => {
  const account = await market.fundedAccount('3')
  const hold = `update ledger.account set reserved_sun = $2, withheld_sun = $3 where id = $1`
  await market.database.sql(hold, [account.account_id, 1_000_000, 500_000])
  const { status, body } = await refused({}, account)
  expect([status, body.detail]).toEqual([
    400,
    { error: 'insufficient_balance', current_balance: 1_500_000, required_amount: PRICE },
  ])
  expect((await market.get(account, '/account')).body).toMatchObject({
    balance_trx: '3',
    reserved_trx: '1',
    withheld_trx: '0.5',
    spendable_trx: '1.5',
  })
  await market.database.sql(hold, [account.account_id, 0, 0])
})

test('400 validation_error carries message: the receiver is not an address that can have Energy', async () => {
  const [, good] = market.receivers as [string, string]
  const { chain } = market.devnet
  const words: [string, RegExp][] = [
    ['', /not a TRON address/],
    ['T123', /not a TRON address/],
    [good.slice(0, -1), /not a TRON address/],
    [`${good}1`, /not a TRON address/],
    [`${good.slice(0, -1)}${good.endsWith('1') ? '2' : '1'}`, /not a TRON address/],
    [good.toLowerCase(), /not a TRON address/],
    [` ${good}`, /not a TRON address/],
    [chain.network.funded[1]!.address, /not a TRON address/],
    [client.deposit_address, /belongs to this service/],
    [SANDBOX_HOT_ADDRESS, /belongs to this service/],
    [SANDBOX_STAKE_ADDRESS, /belongs to this service/],
    ['TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', /not activated/],
    [toBase58(chain.network.usdt), /is a contract/],
  ]
  for (const [receiver_address, message] of words) {
    const { status, body } = await refused({ receiver_address })
    const detail = { error: 'validation_error', message: expect.stringMatching(message) }
    expect([receiver_address, status, body]).toEqual([receiver_address, 400, { detail }])
  }
})

test('400 order_amount_below_minimum carries code, message, min, max', async () => {
  for (const resource_amount of [1, 31_999]) {
    const { status, body } = await refused({ resource_amount })
    expect([status, body]).toEqual([
      400,
      {
        detail: {
          code: 'order_amount_below_minimum',
          message: expect.stringContaining('32000'),
          min: 32_000,
          max: 5_000_000,
        },
      },
    ])
  }
})

test('400 order_amount_above_maximum carries code, message, min, max', async () => {
  for (const resource_amount of [5_000_001, Number.MAX_SAFE_INTEGER]) {
    const { status, body } = await refused({ resource_amount })
    expect([status, body]).toEqual([
      400,
      {
        detail: {
          code: 'order_amount_above_maximum',
          message: expect.stringContaining('5000000'),
          min: 32_000,
          max: 5_000_000,
        },
      },
    ])
  }
})

test('400 price_above_limit carries price_sun when the price is above max_price_sun', async () => {
  const { status, text } = await refused({ max_price_sun: PRICE - 1 })
  expect([status, text]).toEqual([
    400,
    `{"detail":{"error":"price_above_limit","price_sun":${PRICE}}}`,
  ])
})
