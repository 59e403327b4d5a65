// Proves: chain, orders, delivery.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Answer, TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { until } from '../testing/until.ts'

// The attack: while the scanner does not read, Energy is bought and delivered, and at the deadline
// the price is refunded, because nobody has read the block with the delegation.

const ORDERS = 12

let time: PassingTime
let market: Market
let client: TestAccount
beforeEach(async () => {
  time = await openPassingTime()
  const { devnet } = time
  market = await openMarket({ devnet, runtime: time.newRuntime(), blockMs: BLOCK_MS })
  client = await market.fundedAccount('1000')
})
afterEach(async () => {
  await market.close()
  await time.devnet.close()
})

const buyAll = (): Promise<Answer[]> =>
  Promise.all(Array.from({ length: ORDERS }, () => market.buy(client)))

const ordersOf = async (status: string): Promise<number> => {
  const { body } = await market.get(client, '/orders?page_size=100')
  return body.orders.filter((order: { status: string }) => order.status === status).length
}

/** Energy delegations in the pool, or mined after this block. */
const delegationsSince = (block: number): number => {
  const { chain } = market.devnet
  const mined = Array.from({ length: chain.head.number - block }, (_, place) => {
    return chain.block(block + 1 + place)!.txids.length
  })
  return chain.pool.size + mined.reduce((sum, count) => sum + count, 0)
}

const conclude = () =>
  market.rooms.delivery.loops.find(({ name }) => name === 'delivery.conclude')!.runOnce()

test('while the cursor is held nothing is sold, delivered or given back', async () => {
  await market.rooms.chain.scanLoop.stop()
  time.pass(30)
  const before = market.devnet.chain.head.number
  const answers = await buyAll()
  const sold = answers.filter(({ status }) => status === 200).length
  await until('what was sold is delegated', () => delegationsSince(before) === sold)
  time.pass(150)
  await until('the deadline is judged', async () => (await ordersOf('FAILED')) === sold)
  const delivered = delegationsSince(before)
  expect({ sold, delivered }).toEqual({ sold: 0, delivered: 0 })
  for (const { status, body } of answers) {
    expect([status, body.detail.error]).toEqual([503, 'service_unavailable'])
    expect(body.detail.message).toMatch(/Nothing was charged.*again/)
  }
  const estimate = await market.get(client, '/estimate?resource_amount=65000')
  expect(estimate.status).toBe(503)
  expect((await market.get(client, '/estimate?resource_amount=1')).status).toBe(200)
  expect(await market.balanceSun(client)).toBe(1_000_000_000n)

  market.rooms.chain.scanLoop.start()
  await until('it sells again by itself', async () => (await market.buy(client)).status === 200)
})

test('what was sold just before the hold is completed when its blocks are read', async () => {
  const before = market.devnet.chain.head.number
  const answers = await buyAll()
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await until('all are delegated', () => delegationsSince(before) === ORDERS)
  await market.rooms.chain.scanLoop.stop()
  // The delegation is in the first of these blocks, and nobody reads it before the deadline.
  time.pass(180)
  for (let round = 0; round < 3; round++) await conclude()
  expect(await ordersOf('FAILED')).toBe(0)

  market.rooms.chain.scanLoop.start()
  await until('all are completed', async () => (await ordersOf('COMPLETED')) === ORDERS)
  const price = BigInt(answers[0]!.body.total_price_sun)
  expect(await market.balanceSun(client)).toBe(1_000_000_000n - BigInt(ORDERS) * price)
})

test('a process that only serves requests stops too when no scanner runs', async () => {
  const { database, devnet } = market
  const runtime = time.newRuntime()
  const api = await openMarket({
    database,
    devnet,
    runtime,
    role: 'api',
    signer: false,
    blockMs: BLOCK_MS,
  })
  try {
    const sells = async () => (await api.buy(client)).status
    await until('it sells', async () => (await sells()) === 200)
    await market.rooms.chain.scanLoop.stop()
    time.pass(30)
    expect(await sells()).toBe(503)
    market.rooms.chain.scanLoop.start()
    await until('it sells again', async () => (await sells()) === 200)

    // A scanner that cannot reach its node: the last poll of the head is too old.
    await market.rooms.chain.scanLoop.stop()
    await database.sql(`update chain.head set seen_at = seen_at - interval '21 seconds'`)
    await until('it stops', async () => (await sells()) === 503)
  } finally {
    await api.close()
  }
})
