// Proves: orders, agent, delivery.
import type { Devnet } from '@ergon/devnet'
import { toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A shop's day, through the front door: it holds prices, buys batches, has a skipped payment delivered, and gets
// back what a marketplace took.

let devnet: Devnet
let market: AgentMarket
let fake: FakeMarketplace
let shop: TestAccount
beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  market = await openAgentMarket({ devnet, marketplaces: [fake] })
  shop = await market.fundedAccount('300')
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
  await devnet.close()
})

const post = (path: string, body: unknown) =>
  market.call('POST', `/v1${path}`, { key: shop.api_key, body })
const SOLD = { resource_amount: 65_000 }
const order = async (id: string) => (await market.get(shop, `/order/${id}`)).body
const completed = (id: string) =>
  until(`order ${id} is complete`, async () => {
    await market.mineWhenRead()
    return (await order(id)).status === 'COMPLETED'
  })
const entries = async (type: string) => {
  const { transactions } = (await market.get(shop, '/transactions?limit=100')).body
  return transactions.filter((one: { entry_type: string }) => one.entry_type === type)
}

test('a price held across the step of the hour is paid, once', async () => {
  const quote = (await post('/quotes', SOLD)).body
  await market.settings({ schedule: flatSchedule(60) })
  const wish = { ...SOLD, receiver_address: market.receivers[1], quote_id: quote.id }
  const bought = await post('/buy', wish)
  expect([bought.status, bought.body.total_price_sun]).toEqual([200, quote.price_sun])
  expect((await post('/buy', wish)).body.detail).toMatchObject({ error: 'quote_invalid' })
  await market.settings({ schedule: flatSchedule(30) })
  await completed(bought.body.order_id)
})

test('a batch with a key that was used is refused whole, and sent again with new keys it is bought whole', async () => {
  const batch = (keys: string[]) =>
    post('/buy/batch', {
      mode: 'all',
      purchases: keys.map((idempotency_key, n) => ({
        ...SOLD,
        idempotency_key,
        receiver_address: market.receivers[2 + n],
      })),
    })
  const statuses = (answer: { body: { results: { status: number }[] } }) =>
    answer.body.results.map(({ status }) => status)
  expect(statuses(await batch(['one', 'two']))).toEqual([200, 200])
  const total = async () => (await market.get(shop, '/orders')).body.total
  const before = await total()
  expect(statuses(await batch(['three', 'two']))).toEqual([409, 409])
  expect(await total()).toBe(before)
  expect(statuses(await batch(['three', 'four']))).toEqual([200, 200])
  expect(await total()).toBe(before + 2)
})

test('a payment skipped in a pause is delivered when the shop asks, and not a second time', async () => {
  const config = await market.newConfig(shop)
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  const txid = await market.pay(config, BASE)
  market.mine()
  const { id } = await market.payment(shop, txid, 'skipped')
  const deliver = () => market.agent(shop, 'POST', `/payments/${id}/deliver`)
  const sold = await until('it is final and sold', async () => {
    await market.mineWhenRead()
    const answer = await deliver()
    return answer.status === 200 && answer
  })
  expect(sold.body).toMatchObject({ status: 'delivering', units: 1 })
  expect((await deliver()).status).toBe(409)
  expect(await entries('agent_charge')).toHaveLength(1)
})

test('a marketplace takes Energy back: the shop has its credit, its event and the proof', async () => {
  const receiver = market.receivers[6]!
  const { order_id } = (await post('/buy', { ...SOLD, receiver_address: receiver })).body
  await completed(order_id)
  const txid = fake.takeBack(toHex(receiver))
  const [credit] = await until('the credit', async () => {
    await market.mineWhenRead()
    const found = await entries('reclaim_credit')
    return found.length > 0 && found
  })
  expect(credit.reference_id).toBe(`${order_id}:${txid}`)
  const proof = (await market.call('GET', `/v1/public/proof/${order_id}`)).body
  expect(proof.credits).toMatchObject([{ reclaim_txid: txid, credit_trx: credit.amount_trx }])
  // The list waits for transactions that are older than the event's.
  const told = await until('the event', async () => {
    const { events } = (await market.get(shop, '/events?limit=100')).body
    const found = events.filter((one: { type: string }) => one.type === 'order.energy_reclaimed')
    return found.length > 0 && found
  })
  expect(told).toMatchObject([{ data: { order_id, credit_sun: credit.amount_sun } }])
})
