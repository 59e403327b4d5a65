// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule, linkWallet, type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
  client = await market.fundedAccount('100')
})
afterAll(() => market.close())

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

async function buyUntil(status: string, body: Record<string, unknown> = {}) {
  const { order_id } = (await market.buy(client, { body })).body
  return until(status, async () => {
    await market.mineWhenRead()
    const order = (await market.get(client, `/order/${order_id}`)).body
    return order.status === status && order
  })
}

test('200 a COMPLETED order with every field of the contract', async () => {
  const order = await buyUntil('COMPLETED')
  expect(order).toEqual({
    id: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    status: 'COMPLETED',
    resource_type: 'ENERGY',
    resource_amount: 65_000,
    duration: '1h',
    receiver_address: market.receivers[1],
    buyer_address: '',
    total_price_sun: 1_950_000,
    total_price_trx: '1.95',
    source: 'api',
    delegation_txids: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    error_message: null,
    created_at: expect.stringMatching(TIME),
    updated_at: expect.stringMatching(TIME),
    completed_at: expect.stringMatching(TIME),
  })
  expect(order.updated_at).toBe(order.completed_at)
  expect(order.created_at < order.completed_at).toBe(true)
})

test('200 a FAILED order: refunded, said in words, no delegations, not completed', async () => {
  await market.provider({ behaviour: 'fail' })
  const order = await buyUntil('FAILED')
  await market.provider({ behaviour: 'ok' })
  expect(order).toMatchObject({ status: 'FAILED', delegation_txids: [], completed_at: null })
  expect(order.error_message).toContain('1.95 TRX are back on your balance')
})

test('until it is COMPLETED an order has no delegations, and two minutes to get there', async () => {
  const { order_id } = (await market.buy(client)).body
  // No block is mined: what is delegated waits in the pool.
  const open = await until('PROCESSING', async () => {
    const order = (await market.get(client, `/order/${order_id}`)).body
    return order.status === 'PROCESSING' && market.devnet.chain.pool.size > 0 && order
  })
  expect(open).toMatchObject({ delegation_txids: [], completed_at: null, error_message: null })
  const [request] = await market.database.sql<{ deadline: Date }>(
    'select deadline_at as deadline from delivery.request where id = $1',
    [order_id],
  )
  expect(request!.deadline.getTime() - Date.parse(open.created_at)).toBe(120_000)
})

test("buyer_address is the account's linked wallet at the time of the purchase", async () => {
  const wallet = market.receivers[4]!
  await linkWallet(market, client, wallet)
  const { order_id } = (await market.buy(client)).body
  await linkWallet(market, client, '')
  expect((await market.get(client, `/order/${order_id}`)).body.buyer_address).toBe(wallet)
})

test('404 Order not found: unknown, malformed, upper case and foreign are the same bytes', async () => {
  const other = await market.fundedAccount('100')
  const foreign = (await market.buy(other)).body.order_id
  const own = (await market.buy(client)).body.order_id
  expect((await market.get(client, `/order/${own}`)).status).toBe(200)
  const absent = '018f0000-0000-7000-8000-000000000001'
  const long = ['x'.repeat(205), 'x'.repeat(5_000), '%e2%82%ac'.repeat(300)]
  const encoded = ['%zz', '%', '%c3%28', 'a%2fb', `${own}%20`, '%F0%9F%92%A9']
  for (const id of [
    ...[absent, foreign, own.toUpperCase(), `${own}0`, 'x', '%00', "'"],
    ...long,
    ...encoded,
  ]) {
    const { status, text } = await market.get(client, `/order/${id}`)
    expect([id, status, text]).toEqual([id, 404, '{"detail":"Order not found"}'])
  }
})

test('401 without a key, even for an order that exists', async () => {
  const { order_id } = (await market.buy(client)).body
  const { status, text } = await market.call('GET', `/v1/order/${order_id}`)
  expect([status, text]).toEqual([401, '{"detail":"API key required"}'])
})
