// Proves: delivery, providers, orders.
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { outcomes } from '../testing/outcomes.ts'
import { until } from '../testing/until.ts'

// Own stake is the only provider, and the sandbox sets its behaviour.

let market: Market
let client: TestAccount

beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('1000')
})
afterAll(() => market.close())
beforeEach(() => market.provider({ behaviour: 'ok' }))

let next = 0
const aReceiver = () => market.receivers[next++ % market.receivers.length]!

async function order(behaviour: string, more: Record<string, unknown> = {}) {
  await market.provider({ behaviour, ...more })
  const receiver = aReceiver()
  const before = await market.balanceSun(client)
  const { body } = await market.buy(client, { body: { receiver_address: receiver } })
  return { id: body.order_id as string, receiver, before, price: BigInt(body.total_price_sun) }
}

const read = async (id: string) => (await market.get(client, `/order/${id}`)).body
const energyOf = async (receiver: string) =>
  (await market.rooms.chain.node.getAccountResource(parseAddress(receiver)!))!.energyLimit

async function final(id: string) {
  return until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    const now = await read(id)
    return ['COMPLETED', 'FAILED'].includes(now.status) && now
  })
}

/** 180 s after it was placed, one delegation still reaches the chain. */
async function comeLate(id: string) {
  // The last step is small: a transaction built before a jump of a minute has expired after it.
  await market.advance(50)
  await market.advance(10)
  await until('it comes', async () => {
    await market.mineWhenRead()
    const rows = await market.database.sql(
      `select from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
         join delivery.part p on p.id = a.part_id where p.request_id = $1`,
      [id],
    )
    return rows.length === 1
  })
}

test.each(outcomes)('%s: %s by its deadline, charged once or refunded whole', async (...row) => {
  const [behaviour, status, seconds] = row
  const { id, receiver, before, price } = await order(behaviour)
  await until('placed', async () => {
    const rows = await market.database.sql(
      `select from delivery.attempt a join delivery.part p on p.id = a.part_id where p.request_id = $1`,
      [id],
    )
    return rows.length > 0
  })
  if (seconds > 0) await market.advance(seconds)
  expect(await final(id)).toMatchObject({ status })
  expect(await market.balanceSun(client)).toBe(status === 'COMPLETED' ? before - price : before)
  if (status === 'COMPLETED') expect(await energyOf(receiver)).toBe(65_065n)
  else {
    // Energy that arrives late or partly is reclaimed.
    if (behaviour === 'late') await comeLate(id)
    await until('nothing stays', async () => {
      await market.mineWhenRead()
      const rows = await market.database.sql(
        `select from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
           join delivery.part p on p.id = a.part_id
          where p.request_id = $1 and d.reclaimed_at is null`,
        [id],
      )
      return rows.length === 0 && (await energyOf(receiver)) === 0n
    })
  }
  expect(await read(id)).toMatchObject({ status })
  expect(await brokenInvariants(market.database)).toEqual([])
})

test('down: nothing is sold, and nothing is charged', async () => {
  await market.provider({ behaviour: 'down' })
  const before = await market.balanceSun(client)
  expect((await market.buy(client)).status).toBe(503)
  expect(await market.balanceSun(client)).toBe(before)
})

test('delay_ms: it acts that much later by business time, and still in time', async () => {
  const { id, receiver, before, price } = await order('ok', { delay_ms: 60_000 })
  await until('it is held back', async () => {
    const rows = await market.database.sql(
      `select from delivery.attempt a join delivery.part p on p.id = a.part_id
        where p.request_id = $1 and a.act_at is not null`,
      [id],
    )
    return rows.length === 1
  })
  for (let blocks = 0; blocks < 5; blocks++) market.devnet.chain.mine()
  expect(await energyOf(receiver)).toBe(0n)
  expect(await read(id)).toMatchObject({ status: 'PROCESSING' })
  await market.provider({ behaviour: 'ok' })
  // In two steps with a block between: a transaction that refers to a minute-old head has expired.
  await market.advance(55)
  market.devnet.chain.mine()
  const { number } = market.devnet.chain.head
  await until(
    'the block is read',
    async () => (await market.rooms.chain.progress())?.number === number,
  )
  await market.advance(6)
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await market.balanceSun(client)).toBe(before - price)
  expect(await energyOf(receiver)).toBe(65_065n)
  expect(await brokenInvariants(market.database)).toEqual([])
})

test('after repeated failures nothing more is sold until its behaviour is set again', async () => {
  await market.provider({ behaviour: 'fail' })
  await until('its circuit is open', async () => {
    const answer = await market.buy(client, { body: { receiver_address: aReceiver() } })
    if (answer.status === 503) return true
    await final(answer.body.order_id)
    await market.rooms.providers.readLoop.runOnce()
    return false
  })
  await market.provider({ behaviour: 'ok' })
  expect((await market.buy(client)).status).toBe(200)
})
