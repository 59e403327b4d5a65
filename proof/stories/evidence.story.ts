// Proves: delivery, providers.
import type { Devnet } from '@ergon/devnet'
import { parseAddress } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MarketOrder, Placed, Seen } from '../../service/providers/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// The chain decides whether an order was delivered, not the answer of a marketplace.

const ENERGY = 65_000n
const SILENT = { state: 'unknown', reason: 'no answer' } as const

let devnet: Devnet
let market: Market
let fake: FakeMarketplace
/** Delegates too, and is no provider of ours. */
let stranger: FakeMarketplace
let client: TestAccount
let before: bigint

/** The marketplace's answers about the orders of the current test. */
let place: (order: MarketOrder) => Promise<Placed>
let lookUp: (order: MarketOrder) => Seen
const ofThisTest = new Set<string>()

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  stranger = fakeMarketplace(devnet, { name: 'stranger', key: 8 })
  fake.place = (order) => {
    ofThisTest.add(order.reference)
    return place(order)
  }
  fake.lookUp = async (order) => (ofThisTest.has(order.reference) ? lookUp(order) : SILENT)
  market = await openMarket({ devnet, marketplaces: [fake] })
  client = await market.fundedAccount('1000')
  await market.provider({ behaviour: 'down' })
  // One delivery first: it makes known the address that the marketplace delegates from.
  place = async ({ receiver, energy, reference }) => {
    return { state: 'accepted', orderId: reference, txids: [fake.delegate(receiver, energy)] }
  }
  lookUp = ({ reference }) => ({ state: 'pending', orderId: reference })
  expect(await final(await buy(0))).toBe('COMPLETED')
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})
beforeEach(async () => {
  ofThisTest.clear()
  place = async () => SILENT
  lookUp = () => SILENT
  await market.call('POST', '/sandbox/providers/bazaar', { body: { behaviour: 'ok' } })
  before = await market.balanceSun(client)
})
afterEach(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})

const accepting = async ({ reference }: MarketOrder): Promise<Placed> => {
  return { state: 'accepted', orderId: reference, txids: [] }
}

async function buy(receiver: number): Promise<string> {
  const body = { receiver_address: market.receivers[receiver] }
  const answer = await market.buy(client, { body })
  expect(answer.status).toBe(200)
  return answer.body.order_id
}

const addressOf = (receiver: number) => parseAddress(market.receivers[receiver]!)!
const statusOf = async (id: string) => (await market.get(client, `/order/${id}`)).body.status

async function final(id: string): Promise<string> {
  return until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    const status = await statusOf(id)
    return ['COMPLETED', 'FAILED'].includes(status) && status
  })
}

const attemptsOf = (id: string) =>
  market.database.sql<{ id: string; provider: string; state: string; word: string; looks: number }>(
    `select a.id, a.provider, a.state, a.word, a.looks::int from delivery.attempt a
       join delivery.part p on p.id = a.part_id where p.request_id = $1 order by a.id`,
    [id],
  )

/**
 * Waits until the chain is read, the marketplace was polled after that, and the attempt is judged.
 */
async function judged(id: string) {
  devnet.chain.mine()
  const { number } = devnet.chain.head
  await until('the block is read', async () => {
    const at = await market.rooms.chain.progress()
    return at !== undefined && at.number >= number
  })
  const { looks } = (await attemptsOf(id))[0]!
  await market.database.sql(
    `update delivery.attempt a set look_at = clock_timestamp() from delivery.part p
      where p.id = a.part_id and p.request_id = $1 and a.look_at is not null`,
    [id],
  )
  await until('it is asked', async () => (await attemptsOf(id))[0]!.looks > looks)
  await concluded()
}

/** Two rounds: the first may read while an answer is still being written. */
async function concluded() {
  const conclude = market.rooms.delivery.loops.find(({ name }) => name === 'delivery.conclude')!
  for (let round = 0; round < 2; round++) await conclude.runOnce()
}

const called = (id: string) =>
  until('it was called', async () => {
    const [attempt] = await attemptsOf(id)
    return attempt && attempt.state !== 'sending'
  })

async function refundedAtTheDeadline(...ids: string[]) {
  for (const id of ids) expect(await statusOf(id)).toBe('PROCESSING')
  await market.advance(125)
  for (const id of ids) expect(await final(id)).toBe('FAILED')
  expect(await market.balanceSun(client)).toBe(before)
}

const goodwill = (references: readonly string[]) =>
  market.database.sql(
    `select amount_sun::int as amount from ledger.movement
      where kind = 'provider_goodwill' and reference_id = any ($1)`,
    [references],
  )

/** Complete, or waiting for an operator's decision. */
const ended = (id: string) =>
  until('it is complete or undecided', async () => {
    await market.mineWhenRead()
    if (await undecidedOf(id)) return 'undecided'
    const status = await statusOf(id)
    return status === 'COMPLETED' && status
  })

const undecidedOf = async (id: string) =>
  (await market.rooms.delivery.undecided.list()).find(({ requestId }) => requestId === id)

test('a delegation to somebody else does not count, whatever it is called', async () => {
  place = accepting
  const other = await buy(2)
  await called(other)
  const txid = fake.delegate(addressOf(2), ENERGY)
  lookUp = ({ receiver, reference }) =>
    receiver === addressOf(1)
      ? { state: 'delivered', orderId: reference, txids: [txid] }
      : { state: 'pending', orderId: reference }
  const id = await buy(1)
  await called(id)
  await judged(id)
  await refundedAtTheDeadline(id, other)
})

test('a delegation made before the order does not count, and after ten minutes the attempt is given up', async () => {
  place = accepting
  lookUp = ({ reference }) => ({ state: 'pending', orderId: reference })
  const first = await buy(3)
  await called(first)
  const txid = fake.delegate(addressOf(3), ENERGY)
  await judged(first)
  await refundedAtTheDeadline(first)
  lookUp = ({ reference }) => ({ state: 'delivered', orderId: reference, txids: [txid] })
  const id = await buy(3)
  await called(id)
  await judged(id)
  await refundedAtTheDeadline(id)
  await market.advance(700)
  await until('it is given up', async () => (await attemptsOf(id))[0]!.state === 'absent')
  await concluded()
  expect(await goodwill([txid, ...(await attemptsOf(id)).map((one) => one.id)])).toEqual([])
})

test('a delegation that another order has named is decided by a person; absent costs nothing', async () => {
  const txid = fake.delegate(addressOf(4), ENERGY)
  lookUp = ({ reference }) => ({ state: 'delivered', orderId: reference, txids: [txid] })
  const first = await buy(4)
  await called(first)
  const second = await buy(4)
  await called(second)
  const ends = [await ended(first), await ended(second)]
  expect(ends.toSorted()).toEqual(['COMPLETED', 'undecided'])
  const [id, delivered] = ends[0] === 'undecided' ? [first, second] : [second, first]
  expect(await undecidedOf(id)).toMatchObject({ reason: 'it names a delegation of another order' })
  const { body } = await market.get(client, `/order/${delivered}`)
  before -= BigInt(body.total_price_sun)
  await refundedAtTheDeadline(id)
  const { attempt } = (await undecidedOf(id))!
  const { decide } = market.rooms.delivery.undecided
  expect(await decide(attempt, { as: 'absent' }, 'ann', 'they had it once')).toMatchObject({
    booked: 0n,
  })
  expect(await goodwill([attempt])).toEqual([])
  expect(await undecidedOf(id)).toBeUndefined()
})

test('what it says that it charged is what is booked; a doubt about an order we know is none', async () => {
  place = accepting
  lookUp = () => ({ state: 'ambiguous', orderIds: ['one', 'two'] })
  const id = await buy(1)
  await called(id)
  const txid = fake.delegate(addressOf(1), ENERGY)
  await judged(id)
  expect(await undecidedOf(id)).toBeUndefined()
  lookUp = ({ reference }) => {
    return { state: 'delivered', orderId: reference, txids: [txid], cost: 640_000n }
  }
  expect(await final(id)).toBe('COMPLETED')
  const [attempt] = await attemptsOf(id)
  const booked = await market.database.sql(
    `select kind, amount_sun::int as amount from ledger.movement where reference_id = $1`,
    [attempt!.id],
  )
  expect(booked).toEqual([{ kind: 'provider_cost', amount: 640_000 }])
})

test('one delegation and two silent orders that it fits: neither gets it', async () => {
  const ids = [await buy(5), await buy(5)]
  for (const id of ids) await called(id)
  fake.delegate(addressOf(5), ENERGY)
  for (const id of ids) await judged(id)
  await refundedAtTheDeadline(...ids)
})

test('two delegations and one silent order that they fit: a person decides', async () => {
  const id = await buy(6)
  await called(id)
  fake.delegate(addressOf(6), ENERGY)
  fake.delegate(addressOf(6), ENERGY)
  await judged(id)
  expect(await undecidedOf(id)).toMatchObject({
    reason: 'several delegations on the chain fit',
    evidence: { transactions: [expect.any(String), expect.any(String)] },
  })
  await refundedAtTheDeadline(id)
})

test('a delegation whose block was orphaned does not count, although its name comes later', async () => {
  place = accepting
  lookUp = ({ reference }) => ({ state: 'pending', orderId: reference })
  const id = await buy(4)
  await called(id)
  const txid = fake.delegate(addressOf(4), ENERGY)
  devnet.chain.mine()
  const sighted = (block: string) =>
    until('the block is read', async () => {
      const rows = await market.database.sql(
        `select from delivery.sighting where txid = $1 and block_number is ${block}`,
        [txid],
      )
      return rows.length > 0
    })
  await sighted('not null')
  devnet.chain.reorg(1, new Set([txid]))
  await sighted('null')
  lookUp = ({ reference }) => ({ state: 'delivered', orderId: reference, txids: [txid] })
  await judged(id)
  await refundedAtTheDeadline(id)
})

test('what a stranger delegates to the receiver is not taken for what we ordered', async () => {
  const id = await buy(7)
  await called(id)
  stranger.delegate(addressOf(7), ENERGY)
  await judged(id)
  await refundedAtTheDeadline(id)
})

/** An order that the marketplace has not answered, and then reports as unknown. */
async function givenUp(receiver: number) {
  const { promise, resolve: answer } = Promise.withResolvers<Placed>()
  place = () => promise
  lookUp = () => ({ state: 'never_seen' })
  const id = await buy(receiver)
  await until('it is called', async () => (await attemptsOf(id))[0]?.state === 'sending')
  await market.database.sql(
    `update delivery.attempt set called_at = called_at - interval '1 minute', look_at = clock_timestamp()
      where state = 'sending'`,
  )
  return { answer, id }
}

test('accepted after it was given up: our cost, once, and what the client has stays his', async () => {
  await market.provider({ behaviour: 'ok', price_sun: 15 })
  const { answer, id } = await givenUp(2)
  expect(await final(id)).toBe('COMPLETED')
  const txid = fake.delegate(addressOf(2), ENERGY)
  answer({ state: 'accepted', orderId: 'slow', txids: [txid] })
  await until('it is booked', async () => {
    await market.mineWhenRead()
    return (await goodwill([txid])).length > 0
  })
  await until('it is given back', () => fake.givenBack.includes('slow'))
  await concluded()
  expect(await goodwill([txid])).toEqual([{ amount: expect.any(Number) }])
  const rows = await market.database.sql<{ provider: string; early: boolean }>(
    `select d.provider, d.reclaim_at < d.delegated_at + interval '1 hour' as early
       from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
       join delivery.part p on p.id = a.part_id where p.request_id = $1 order by d.provider`,
    [id],
  )
  expect(rows).toEqual([
    { provider: 'bazaar', early: true },
    { provider: 'own_stake', early: false },
  ])
  // The proof of delivery shows what was sold, and nothing besides.
  const proof = await market.call('GET', `/v1/public/proof/${id}`)
  expect(proof.body.delegations).toMatchObject([{ energy: 65_000, reclaimed_at: null }])
  await market.provider({ behaviour: 'down' })
})

test('accepted after it was given up, and nobody else delivers: refunded at the deadline', async () => {
  await market.provider({ behaviour: 'late', price_sun: 15 })
  const { answer, id } = await givenUp(6)
  await until('another is tried', async () => (await attemptsOf(id)).length === 2)
  const txid = fake.delegate(addressOf(6), ENERGY + 1_000n)
  answer({ state: 'accepted', orderId: 'slower', txids: [txid] })
  await until('it is booked', async () => {
    await market.mineWhenRead()
    return (await goodwill([txid])).length > 0
  })
  await refundedAtTheDeadline(id)
  await market.provider({ behaviour: 'down' })
})

test('more of an order than the part that was paid for: only that goes back', async () => {
  await market.provider({ behaviour: 'ok', price_sun: 15 })
  place = accepting
  lookUp = ({ reference }) => ({ state: 'pending', orderId: reference })
  const id = await buy(7)
  await called(id)
  devnet.chain.mine()
  const txids = [fake.delegate(addressOf(7), ENERGY / 2n)]
  lookUp = ({ reference }) => ({ state: 'failed', orderId: reference, reason: 'sold out', txids })
  expect(await final(id)).toBe('COMPLETED')
  const [attempt] = await attemptsOf(id)
  expect(attempt).toMatchObject({ provider: 'bazaar', state: 'partial' })
  const more = fake.delegate(addressOf(7), ENERGY / 2n + 1_000n)
  // As a second worker would write it, whose poll was answered after the first one's.
  await market.database.sql(`insert into delivery.claim (txid, attempt_id) values ($1, $2)`, [
    more,
    attempt!.id,
  ])
  await until('it is booked', async () => {
    await market.mineWhenRead()
    return (await goodwill([more])).length > 0
  })
  const early = await market.database.sql<{ txid: string }>(
    `select txid from delivery.delegation
      where attempt_id = $1 and reclaim_at < delegated_at + interval '1 hour'`,
    [attempt!.id],
  )
  expect(early).toEqual([{ txid: more }])
  const loops = market.rooms.delivery.loops
  await loops.find(({ name }) => name === 'delivery.resolve.bazaar')!.runOnce()
  expect(fake.givenBack).not.toContain(attempt!.id)
  await market.provider({ behaviour: 'down' })
})

test('silent for a day: a person is asked', async () => {
  const id = await buy(1)
  await called(id)
  await judged(id)
  await refundedAtTheDeadline(id)
  expect(await undecidedOf(id)).toBeUndefined()
  await market.advance(86_400)
  const one = await until('the queue', () => undecidedOf(id))
  expect(one).toMatchObject({ reason: 'no answer for a day', evidence: { response: 'no answer' } })
  // Attempts that wait for an operator for another reason keep that reason.
  const reasons = (await market.rooms.delivery.undecided.list()).map(({ reason }) => reason)
  expect(reasons).toContain('several delegations on the chain fit')
})
