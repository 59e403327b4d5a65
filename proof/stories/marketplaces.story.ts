// Proves: providers, delivery.
import type { Devnet } from '@ergon/devnet'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemRuntime } from '../../service/kernel/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Orders are bought at a marketplace that is cheaper than our own stake, and that has faults.

let devnet: Devnet
let market: Market
let fake: FakeMarketplace
let client: TestAccount
let receivers: string[]

/** A step at which the worker's round fails, as if the process had died. */
let dyingAt = ''
/** A step at which it sleeps until its lease has expired. */
let sleepingAt = ''
let sleptMs = 0
const system = systemRuntime()
const runtime = {
  ...system,
  clock: { ...system.clock, elapsedMs: () => system.clock.elapsedMs() + sleptMs },
  async step(label: string) {
    if (label === dyingAt) throw new Error('the worker died')
    if (label === sleepingAt) sleptMs += 6_000
  },
}

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  market = await openMarket({ devnet, marketplaces: [fake], runtime })
  client = await market.fundedAccount('1000')
  receivers = market.receivers.slice(0, 8)
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})
beforeEach(() => behave('ok'))
afterEach(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  expect(new Set(fake.placed).size).toBe(fake.placed.length)
})

/** Changes the fake; the sandbox endpoint closes its circuit breaker and reads its offer again. */
async function behave(behaviour: FakeMarketplace['behaviour'], terms: Partial<Terms> = {}) {
  const usual = { unitPrice: 10n, capacity: 4_000_000n, minimum: 0n }
  Object.assign(fake, usual, terms, { behaviour })
  await market.call('POST', '/sandbox/providers/bazaar', { body: { behaviour: 'ok' } })
  await market.provider({ behaviour: 'ok', price_sun: 15 })
}

type Terms = Pick<FakeMarketplace, 'unitPrice' | 'capacity' | 'minimum'>

let next = 0
async function order(amount = 65_000) {
  const receiver = receivers[next++ % receivers.length]!
  const body = { receiver_address: receiver, resource_amount: amount }
  const answer = await market.buy(client, { body })
  expect(answer.status).toBe(200)
  return { id: answer.body.order_id as string, receiver, price: answer.body.total_price_sun }
}

const read = async (id: string) => (await market.get(client, `/order/${id}`)).body

async function final(id: string) {
  return until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    const now = await read(id)
    return ['COMPLETED', 'FAILED'].includes(now.status) && now
  })
}

/** Energy by provider that the chain shows for an order. */
async function deliveredBy(id: string): Promise<Record<string, number>> {
  const rows = await market.database.sql<{ provider: string; energy: number }>(
    `select d.provider, sum(d.energy)::int as energy
       from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
       join delivery.part p on p.id = a.part_id
      where p.request_id = $1 and d.block_number is not null group by d.provider`,
    [id],
  )
  return Object.fromEntries(rows.map(({ provider, energy }) => [provider, energy]))
}

const booked = async (id: string) =>
  market.database.sql<{ kind: string; debit: string; credit: string; amount: number }>(
    `select m.kind, m.debit, m.credit, m.amount_sun::int as amount
       from ledger.movement m join delivery.attempt a on a.id::text = m.reference_id
       join delivery.part p on p.id = a.part_id where p.request_id = $1`,
    [id],
  )

/** Each plan of an order, with its reasons. */
async function choicesOf(id: string) {
  const [row] = await market.database.sql<{ choice: { considered: object[] }[] }>(
    `select choice from delivery.request where id = $1`,
    [id],
  )
  return row!.choice
}

/** The providers asked, in order. The same provider twice is a bug of ours. */
async function askedFor(id: string): Promise<string[]> {
  const rows = await market.database.sql<{ provider: string }>(
    `select a.provider from delivery.attempt a join delivery.part p on p.id = a.part_id
      where p.request_id = $1 order by a.id`,
    [id],
  )
  return rows.map(({ provider }) => provider)
}

const underWay = (id: string, state: string) =>
  until(`an attempt is ${state}`, async () => {
    const rows = await market.database.sql(
      `select from delivery.attempt a join delivery.part p on p.id = a.part_id
        where p.request_id = $1 and a.state = $2`,
      [id, state],
    )
    return rows.length > 0
  })

test('the cheapest able provider wins, and what it costs is booked', async () => {
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(Object.keys(await deliveredBy(id))).toEqual(['bazaar'])
  expect(await askedFor(id)).toEqual(['bazaar'])
  expect(await booked(id)).toEqual([
    {
      kind: 'provider_cost',
      debit: 'cost:provider:bazaar',
      credit: 'asset:provider_float:bazaar',
      amount: 650_000,
    },
  ])
  expect((await choicesOf(id))[0]!.considered).toMatchObject([
    { provider: 'bazaar', taken: '65000', why: 'cheapest' },
    { provider: 'own_stake', taken: '0', why: 'dearer' },
  ])
})

test('what it cannot carry alone is split, and the parts sum to the amount', async () => {
  await behave('ok', { capacity: 100_000n })
  const { id } = await order(260_000)
  const done = await final(id)
  expect(done.status).toBe('COMPLETED')
  expect(done.delegation_txids).toHaveLength(2)
  expect(await deliveredBy(id)).toMatchObject({ own_stake: 160_000 })
  const parts = await market.database.sql<{ energy: number }>(
    `select energy::int from delivery.part where request_id = $1`,
    [id],
  )
  expect(parts.reduce((sum, { energy }) => sum + energy, 0)).toBe(260_000)
})

test('fail: it refuses, and somebody else delivers', async () => {
  await behave('fail')
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await deliveredBy(id)).toEqual({ own_stake: 65_000 })
  expect(await booked(id)).toEqual([])
  expect(await askedFor(id)).toEqual(['bazaar', 'own_stake'])
  expect((await choicesOf(id))[1]!.considered).toMatchObject([
    { provider: 'bazaar', taken: '0', why: 'has not delivered this order before' },
    { provider: 'own_stake', taken: '65000', why: 'cheapest' },
  ])
})

test('nobody is left: FAILED and refunded whole', async () => {
  const before = await market.balanceSun(client)
  await behave('fail')
  await market.provider({ behaviour: 'fail' })
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
})

test('timeout_after_accept: asked by our reference, delivered once', async () => {
  await behave('timeout_after_accept')
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(Object.keys(await deliveredBy(id))).toEqual(['bazaar'])
})

test('timeout_before_accept: "never seen" is believed after its time, not before', async () => {
  await behave('timeout_before_accept')
  const { id } = await order()
  await underWay(id, 'unknown')
  const [asked] = await until('it was asked', async () => {
    const rows = await market.database.sql<{ told: string; word: string | null }>(
      `select a.told, a.word from delivery.attempt a join delivery.part p on p.id = a.part_id where p.request_id = $1`,
      [id],
    )
    return rows[0]!.told === 'never seen' && rows
  })
  expect(asked!.word).toBeNull()
  await market.rooms.delivery.loops.find(({ name }) => name === 'delivery.conclude')!.runOnce()
  expect((await read(id)).status).toBe('PROCESSING')
  expect(await askedFor(id)).toEqual(['bazaar'])
  await asIfLongAgo()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await deliveredBy(id)).toEqual({ own_stake: 65_000 })
})

test('partial: what was delegated counts, the rest is bought elsewhere', async () => {
  await behave('partial')
  const { id } = await order(130_000)
  const done = await final(id)
  expect(done.status).toBe('COMPLETED')
  expect(done.delegation_txids).toHaveLength(2)
  const { bazaar, own_stake } = await deliveredBy(id)
  expect(bazaar! + own_stake!).toBeGreaterThanOrEqual(130_000)
  expect(bazaar).toBeLessThan(70_000)
  // Half of the price was kept by the marketplace, not all of it.
  expect(await booked(id)).toMatchObject([{ kind: 'provider_cost', amount: bazaar! * 10 }])
})

test('lost_delegation: a name without a block completes nothing; refunded at the deadline', async () => {
  const before = await market.balanceSun(client)
  await behave('lost_delegation')
  const { id } = await order()
  await underWay(id, 'sent')
  await market.advance(125)
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
  expect(await deliveredBy(id)).toEqual({})
})

test('late: FAILED and refunded in time; what arrives is goodwill, and is given back', async () => {
  const before = await market.balanceSun(client)
  await behave('late')
  const { id } = await order()
  await underWay(id, 'sent')
  await market.advance(125)
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
  fake.deliverLate()
  devnet.chain.mine()
  await until('it is booked', async () => (await booked(id)).length > 0)
  expect(await booked(id)).toMatchObject([
    { kind: 'provider_goodwill', debit: 'cost:goodwill', credit: 'asset:provider_float:bazaar' },
  ])
  await until('given back', () => fake.givenBack.length > 0)
  expect(await read(id)).toMatchObject({ status: 'FAILED', delegation_txids: [] })
})

test('down: it is not asked, and own stake delivers', async () => {
  await behave('down')
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await deliveredBy(id)).toEqual({ own_stake: 65_000 })
})

test('mute: the chain alone shows that it delegated, by addresses known to be its own', async () => {
  await behave('mute')
  const { id } = await order()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(Object.keys(await deliveredBy(id))).toEqual(['bazaar'])
})

const asIfLongAgo = () =>
  market.database.sql(
    `update delivery.attempt set called_at = called_at - interval '1 minute', look_at = clock_timestamp()
      where state in ('sending', 'unknown')`,
  )

test('a worker dies between the commit and the call: nobody sends it again', async () => {
  dyingAt = 'call bazaar'
  const { id } = await order()
  const calls = fake.placed.length
  await underWay(id, 'sending')
  dyingAt = ''
  await asIfLongAgo()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(await deliveredBy(id)).toEqual({ own_stake: 65_000 })
  expect(fake.placed.length).toBe(calls)
})

test('a worker sleeps between the commit and the call: it does not call any more', async () => {
  sleepingAt = 'call bazaar'
  const { id } = await order()
  const calls = fake.placed.length
  await underWay(id, 'sending')
  await asIfLongAgo()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  sleepingAt = ''
  expect(await deliveredBy(id)).toEqual({ own_stake: 65_000 })
  expect(fake.placed.length).toBe(calls)
})

test('a worker dies before it wrote the answer down: asked, not sent again', async () => {
  dyingAt = 'answer of bazaar'
  const { id } = await order()
  await until('the call', () => fake.placed.length > 0)
  await underWay(id, 'sending')
  const calls = fake.placed.length
  dyingAt = ''
  await asIfLongAgo()
  expect(await final(id)).toMatchObject({ status: 'COMPLETED' })
  expect(Object.keys(await deliveredBy(id))).toEqual(['bazaar'])
  expect(fake.placed.length).toBe(calls)
})

const WHOLE = { as: 'delivered' } as const

test('a person decides in part, and what was shown before is what is booked', async () => {
  await behave('unsure')
  const { id } = await order()
  await underWay(id, 'undecided')
  await market.advance(125)
  await final(id)
  const { undecided } = market.rooms.delivery
  const { attempt } = (await undecided.list()).find(({ requestId }) => requestId === id)!
  const part = (energy?: bigint) => ({ as: 'partial', energy }) as const
  for (const energy of [undefined, 0n, 65_000n]) {
    expect(await undecided.effectOf(attempt, part(energy))).toContain('of the 65000 Energy came')
  }
  const shown = await undecided.effectOf(attempt, part(20_001n))
  expect(shown).toMatchObject({
    energy: 20_001n,
    booked: 200_010n,
    sentence:
      'The client keeps the refund. 0.20001 TRX for 20,001 Energy go from cost:goodwill to asset:provider_float:bazaar.',
  })
  expect(await booked(id)).toEqual([])
  expect(await undecided.decide(attempt, part(20_001n), 'ann', 'half of it')).toEqual(shown)
  expect(await booked(id)).toMatchObject([
    {
      kind: 'provider_goodwill',
      debit: 'cost:goodwill',
      credit: 'asset:provider_float:bazaar',
      amount: 200_010,
    },
  ])
  const [kept] = await market.database.sql(
    `select decision, energy::int, decided_by from delivery.undecided where attempt_id = $1`,
    [attempt],
  )
  expect(kept).toEqual({ decision: 'partial', energy: 20_001, decided_by: 'ann' })
  expect(await undecided.list()).toEqual([])
})

test('ambiguous: a person decides after the deadline, and the ledger says what it cost', async () => {
  const before = await market.balanceSun(client)
  await behave('unsure')
  const { id } = await order()
  await underWay(id, 'undecided')
  const { undecided } = market.rooms.delivery
  const one = (await undecided.list()).find(({ requestId }) => requestId === id)
  expect(one).toMatchObject({ requestId: id, evidence: { order_ids: ['o-1', 'o-2'] } })
  expect(await undecided.decide(one!.attempt, WHOLE, 'ann', 'said so')).toContain('still open')
  await market.advance(125)
  expect(await final(id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
  expect(await undecided.decide(one!.attempt, WHOLE, 'ann', '')).toContain('why')
  expect(await undecided.decide(one!.attempt, WHOLE, 'ann', 'they showed it')).toMatchObject({
    booked: 650_000n,
  })
  expect(await booked(id)).toMatchObject([{ kind: 'provider_goodwill', amount: 650_000 }])
  expect(await undecided.list()).toEqual([])
  expect(await undecided.decide(one!.attempt, { as: 'absent' }, 'bob', 'no')).toContain(
    'Nothing undecided',
  )
})
