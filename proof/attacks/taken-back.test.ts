// Proves: delivery, orders, providers.
import type { Devnet } from '@ergon/devnet'
import { toHex } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A seller takes Energy back before its hour, to sell it again or to be paid twice. Each test has an address of its own.

let devnet: Devnet
let market: Market
let fake: FakeMarketplace
let client: TestAccount

const HOUR_MS = 3_600_000
const ENERGY = 65_000
const SOLID_BLOCKS = 20

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  market = await openMarket({ devnet, marketplaces: [fake] })
  client = await market.fundedAccount('1000')
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})
beforeEach(async () => {
  await market.database.sql(
    `update delivery.taken_back set reclaimed_at = reclaimed_at - interval '2 days'`,
  )
  await switchOn()
})
afterEach(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})

async function switchOn() {
  fake.behaviour = 'ok'
  await market.rooms.providers.setEnabled('bazaar', true)
  await market.rooms.providers.change('own_stake', { unitPrice: 15n })
  await market.rooms.providers.refresh()
}

type Sold = { id: string; receiver: string; price: bigint; endsMs: number }

let next = 0
/** The ninth funded key is the seller's own. */
const newReceiver = () => market.receivers[next++ % 8]!

async function sell(receiver = newReceiver()): Promise<Sold> {
  const body = { receiver_address: receiver, resource_amount: ENERGY }
  const { status, body: answer } = await market.buy(client, { body })
  expect(status).toBe(200)
  const id: string = answer.order_id
  await until(`order ${id} is complete`, async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${id}`)).body.status === 'COMPLETED'
  })
  const [{ delegated_at }] = (await proofOf(id)).delegations
  const price = BigInt(answer.total_price_sun)
  return { id, receiver, price, endsMs: Date.parse(delegated_at) + HOUR_MS }
}

const proofOf = async (id: string) => (await market.call('GET', `/v1/public/proof/${id}`)).body

/** Mines what was sent, then until the block is solid and the reclaims in it are decided. */
async function decided(): Promise<number> {
  const { timestamp } = devnet.chain.mine()
  for (let blocks = 0; blocks < SOLID_BLOCKS; blocks++) devnet.chain.mine()
  await until('every reclaim is decided', async () => {
    const open = await market.database.sql(
      'select from delivery.foreign_reclaim where decided_at is null',
    )
    const progress = await market.rooms.chain.progress()
    return open.length === 0 && progress?.number === devnet.chain.head.number
  })
  return timestamp
}

const secondsLeft = (sold: Sold, atMs: number) => BigInt(Math.floor((sold.endsMs - atMs) / 1_000))

const entriesOf = ({ id }: Sold) =>
  market.database.sql<{ amount: string; debit: string; client: string }>(
    `select amount_sun::text as amount, debit, client_id as client from ledger.movement
      where kind = 'reclaim_credit' and reference_id like $1 || ':%' order by id`,
    [id],
  )

const creditOf = async (sold: Sold) =>
  (await entriesOf(sold)).reduce((sum, { amount }) => sum + BigInt(amount), 0n)

const isEnabled = async () =>
  (await market.rooms.providers.list()).find(({ name }) => name === 'bazaar')!.enabled

test('Energy taken back early is credited once: an entry, an event, and the proof shows it', async () => {
  const sold = await sell()
  const before = await market.balanceSun(client)
  const txid = fake.takeBack(toHex(sold.receiver))
  const at = await decided()
  const seconds = secondsLeft(sold, at)
  const credit = (sold.price * seconds) / 3_600n
  expect(seconds).toBeGreaterThan(3_000n)
  expect(await market.balanceSun(client)).toBe(before + credit)
  expect(await entriesOf(sold)).toEqual([
    { amount: String(credit), debit: 'cost:provider:bazaar', client: client.account_id },
  ])
  const proof = await proofOf(sold.id)
  const reclaimed_at = new Date(at).toISOString()
  expect(proof.delegations).toMatchObject([{ reclaimed_at }])
  expect(proof.credits).toEqual([
    {
      reclaim_txid: txid,
      reclaimed_at,
      energy: ENERGY,
      missing_seconds: Number(seconds),
      credit_trx: expect.stringMatching(/^\d+\.\d+$/),
    },
  ])
  const events = await market.database.sql<{ type: string; data: object }>(
    `select type, data from events.event
      where (subject = $1 and type = 'order.energy_reclaimed')
         or (type = 'balance.credited' and data::json->>'entry_type' = 'reclaim_credit') order by type`,
    [sold.id],
  )
  expect(events.map(({ type }) => type)).toEqual(['balance.credited', 'order.energy_reclaimed'])
  expect(await isEnabled()).toBe(true)
})

test('he takes it back and delegates it again: one credit, and what he takes then is not ours', async () => {
  const sold = await sell()
  const receiver = toHex(sold.receiver)
  fake.takeBack(receiver)
  const at = devnet.chain.mine().timestamp
  fake.delegate(receiver, BigInt(ENERGY))
  await decided()
  const credit = (sold.price * secondsLeft(sold, at)) / 3_600n
  expect(await creditOf(sold)).toBe(credit)
  fake.takeBack(receiver)
  await decided()
  expect(await creditOf(sold)).toBe(credit)
})

test('in several small steps: a credit for each, together never above the price', async () => {
  const sold = await sell()
  const receiver = toHex(sold.receiver)
  const whole = fake.stakeFor(BigInt(ENERGY))
  const steps = [whole / 3n, whole / 3n, whole - 2n * (whole / 3n)]
  let expected = 0n
  for (const stake of steps) {
    fake.takeBack(receiver, stake)
    const seconds = secondsLeft(sold, await decided())
    expected += (sold.price * stake * seconds) / (whole * 3_600n)
    await switchOn()
  }
  expect((await entriesOf(sold)).length).toBe(3)
  expect(await creditOf(sold)).toBe(expected)
  expect(expected).toBeLessThan(sold.price)
  const { delegations, credits } = await proofOf(sold.id)
  expect(delegations[0].reclaimed_at).not.toBeNull()
  expect(credits).toHaveLength(3)
})

test('two orders for one address: the newest loses its Energy first', async () => {
  const first = await sell()
  const second = await sell(first.receiver)
  fake.takeBack(toHex(first.receiver))
  const at = await decided()
  expect(await creditOf(second)).toBe((second.price * secondsLeft(second, at)) / 3_600n)
  expect(await creditOf(first)).toBe(0n)
  fake.takeBack(toHex(first.receiver))
  await decided()
  expect(await creditOf(first)).toBeGreaterThan(0n)
})

test('in a block that is orphaned: nothing, until a block of the chain holds it', async () => {
  const sold = await sell()
  const txid = fake.takeBack(toHex(sold.receiver))
  devnet.chain.mine()
  const noted = () =>
    market.database.sql(`select from delivery.foreign_reclaim where decided_at is null`)
  await until('it is noted', async () => (await noted()).length === 1)
  devnet.chain.reorg(1, new Set([txid]))
  await until('it is gone', async () => (await noted()).length === 0)
  await decided()
  expect(await creditOf(sold)).toBe(0n)
})

test('what was delegated for a failed order may be taken back', async () => {
  fake.behaviour = 'late'
  const receiver = newReceiver()
  const body = { receiver_address: receiver, resource_amount: ENERGY }
  const { body: answer } = await market.buy(client, { body })
  await until('it is asked', async () => fake.placed.length > 0)
  await market.advance(130)
  await until('it failed', async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${answer.order_id}`)).body.status === 'FAILED'
  })
  fake.deliverLate()
  await decided()
  fake.takeBack(toHex(receiver))
  await decided()
  const credits = await market.database.sql(
    'select from orders.reclaim_credit where order_id = $1',
    [answer.order_id],
  )
  expect(credits).toEqual([])
})

test('Energy that the client bought there directly is not ours when it goes', async () => {
  const receiver = newReceiver()
  fake.delegate(toHex(receiver), BigInt(ENERGY))
  devnet.chain.mine()
  const sold = await sell(receiver)
  fake.takeBack(toHex(receiver))
  await decided()
  expect(await creditOf(sold)).toBe(0n)
  expect(await isEnabled()).toBe(true)
})

test('after its hour it is his: no credit', async () => {
  const sold = await sell()
  await market.advance(3_650)
  fake.takeBack(toHex(sold.receiver))
  await decided()
  await until('it is back', async () => (await proofOf(sold.id)).delegations[0].reclaimed_at)
  expect(await creditOf(sold)).toBe(0n)
})

test('at the second time within 24 hours the seller is switched off', async () => {
  const [first, second] = [await sell(), await sell()]
  fake.takeBack(toHex(first.receiver))
  await decided()
  expect(await isEnabled()).toBe(true)
  fake.takeBack(toHex(second.receiver))
  await decided()
  expect(await isEnabled()).toBe(false)
  await until('nothing is offered there', async () => {
    const offers = market.rooms.providers.offers()
    return offers.every(({ provider }) => provider !== 'bazaar')
  })
})
