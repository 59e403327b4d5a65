import type { BooksGroup } from '@ergon/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { advanceBusinessTime, type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createBooks } from './index.ts'

const runtime = testRuntime()
const DAY_MS = 86_400_000
let database: TestDatabase
let db: Db
let books: ReturnType<typeof createBooks>
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 3, runtime, log: silentLog, name: 'test' })
  books = createBooks({ db, runtime, log: silentLog })
  await database.sql(
    `insert into ledger.own_account (name) values ('cost:provider:bazaar'), ('asset:provider_float:bazaar')`,
  )
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
/** Each test begins with empty books. */
beforeEach(async () => {
  await database.sql(`truncate ledger.movement, books.daily, books.late, books.delivery_time, books.day, books.closed_month,
    delivery.request cascade`)
  await database.sql(
    `update books.checkpoint set upto = default; update ledger.sums set upto = default, movements = 0`,
  )
})

const CLIENT = '01930000-0000-7000-8000-00000000c001'
const OTHER = '01930000-0000-7000-8000-00000000c002'
const ids = runtime.ids
/** The first moment of the last month, of this month, and of yesterday. */
const monthBegan = (back: number) => {
  const now = runtime.clock.now()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)
}
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const now = () => runtime.clock.now().getTime()

type Move = [
  kind: string,
  reference: string,
  debit: string,
  credit: string,
  amount: number,
  client?: string,
]
let versions = 0
/** A movement of that time; its id is of the same time unless another is given. */
async function book(atMs: number, move: Move, idMs = atMs) {
  const [kind, reference, debit, credit, amount, client] = move
  versions += 1
  await database.sql(
    `insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun,
                                  description, created_at)
     select $1, $2, overlay(gen_random_uuid()::text placing left(db.id_at($3)::text, 13) from 1 for 13)::uuid, $4,
            case when $4::uuid is not null then $5::bigint end, case when $4::uuid is not null then 0 end, $6, $7, $8, '', $9`,
    [
      kind,
      reference,
      new Date(idMs),
      client ?? null,
      versions,
      debit,
      credit,
      amount,
      new Date(atMs),
    ],
  )
}
const charge = (client: string, order: string, amount: number, kind = 'purchase'): Move => [
  kind,
  order,
  'client',
  'escrow:orders',
  amount,
  client,
]
const deliver = (order: string, amount: number): Move => [
  'deliver',
  order,
  'escrow:orders',
  'income:energy',
  amount,
]

/** An attempt of a provider for a request, and the delegation that it made. */
async function delegated(request: string, provider: string, energy: number, atMs: number) {
  const [part, attempt, txid] = [ids.next(), ids.next(), `tx ${ids.next()}`]
  await database.sql(
    `insert into delivery.request (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, created_at)
     values ($1, 'T', 1, 3600, now(), 'delivered', '', now()) on conflict do nothing`,
    [request],
  )
  await database.sql(
    `insert into delivery.part (id, request_id, provider, energy, state) values ($1, $2, $3, $4, 'delivered')`,
    [part, request, provider, energy],
  )
  await database.sql(
    `insert into delivery.attempt (id, part_id, provider, state, energy, created_at) values ($1, $2, $3, 'delivered', $4, now())`,
    [attempt, part, provider, energy],
  )
  await database.sql(
    `insert into delivery.delegation (txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number,
                                      delegated_at, reclaim_at, provider)
     values ($1, $2, 'T', 'T', 1, $3, 1, $5, $5, $4)`,
    [txid, attempt, energy, provider, new Date(atMs)],
  )
  return { attempt, txid }
}

/** Moves the ledger's checkpoint and the books'. */
async function roll() {
  await database.sql(`select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 100000)`)
  await books.loop.runOnce()
}
const all = { from: '2020-01-01', to: '2099-01-01' }
/** What a report has that is not zero, by its groups. */
async function figures(...groups: BooksGroup[]) {
  const { rows } = await books.report(all, groups)
  return rows.map(({ stakeCost: _cost, marginAfterStake: _margin, ...row }) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== 0n && value !== null)),
  )
}

/** An order that two providers filled, one of an agent, a failed one, AutoEnergy, and what the house pays. */
async function business(at: number) {
  const [bought, sold, failed, moved] = [ids.next(), ids.next(), ids.next(), ids.next()]
  await book(at, charge(CLIENT, bought, 1_000))
  const own = await delegated(bought, 'own_stake', 1, at)
  const bazaar = await delegated(bought, 'bazaar', 2, at + 4_000)
  await book(at + 4_000, deliver(bought, 1_000))
  await book(at + 5_000, [
    'provider_cost',
    bazaar.attempt,
    'cost:provider:bazaar',
    'asset:provider_float:bazaar',
    300,
  ])
  await book(at + 6_000, ['network_fee', own.txid, 'cost:network', 'asset:staked', 7])

  await book(at, charge(OTHER, sold, 500, 'agent_charge'))
  await delegated(sold, 'own_stake', 5, at)
  await book(at + 9_500, deliver(sold, 500))

  await book(at, charge(CLIENT, failed, 200))
  const late = await delegated(failed, 'bazaar', 3, at)
  await book(at + 1_000, ['refund', failed, 'escrow:orders', 'client', 200, CLIENT])
  const float = 'asset:provider_float:bazaar'
  await book(at + 2_000, ['provider_goodwill', late.attempt, 'cost:goodwill', float, 60])

  await book(at, ['autoenergy_activate', 'run 1', 'client', 'income:fees', 90, OTHER])
  await book(at, ['autoenergy_unit', 'call 1', 'client', 'income:energy', 22, OTHER])
  await book(at + 1_000, ['refund', 'run 1', 'income:fees', 'client', 90, OTHER])
  await database.sql(
    `insert into delivery.standing_move (txid, address, kind, owner_address, stake_sun, signing_request, expires_at, state)
     values ($1, 'T', 'delegate', 'T', 1, $2, now(), 'dead')`,
    [`standing ${moved}`, moved],
  )
  const staked = 'asset:staked'
  await book(at, ['network_fee', `standing ${moved}`, 'cost:network', staked, 3])
  await book(at, ['network_fee', 'a sweep', 'cost:network', 'asset:deposit_addresses', 2])
  await book(at, ['adjustment', ids.next(), 'cost:goodwill', 'client', 11, CLIENT])
  await book(at, ['adjustment', ids.next(), 'client', 'cost:goodwill', 1, CLIENT])
  await book(at, ['adjustment', ids.next(), staked, 'income:rewards', 40])
  await book(at, ['deposit', 'tx', 'asset:deposit_addresses', 'client', 10_000, CLIENT])
}

const BY_PRODUCT = [
  { product: 'agent', revenue: 500n, margin: 500n, completed: 1n },
  {
    product: 'api',
    revenue: 1_000n,
    providerCost: 300n,
    networkFees: 7n,
    goodwill: 60n,
    margin: 633n,
    returned: 200n,
    completed: 1n,
    failed: 1n,
  },
  { product: 'autoenergy', revenue: 112n, refunds: 90n, networkFees: 3n, margin: 19n },
  { product: 'house', rewards: 40n, networkFees: 2n, goodwill: 10n, margin: 28n },
]

test('every line is counted under product, client and provider, before the checkpoint and after', async () => {
  await business(now() - DAY_MS)
  const seen: unknown[] = []
  for (const isRolled of [false, true]) {
    if (isRolled) await roll()
    expect(await figures('product')).toEqual(BY_PRODUCT)
    seen.push(await books.report(all, ['day', 'product', 'client', 'provider']))
    // Two thirds of 1,000 are the marketplace's, rounded so that both parts are the price.
    expect(await figures('provider')).toEqual([
      {
        provider: '',
        rewards: 40n,
        networkFees: 2n,
        goodwill: 10n,
        margin: 28n,
        returned: 200n,
        failed: 1n,
      },
      {
        provider: 'bazaar',
        revenue: 666n,
        providerCost: 300n,
        goodwill: 60n,
        margin: 306n,
        completed: 1n,
      },
      {
        provider: 'own_stake',
        revenue: 946n,
        refunds: 90n,
        networkFees: 10n,
        margin: 846n,
        completed: 1n,
      },
    ])
    expect(await figures('client')).toMatchObject([
      { client: CLIENT, margin: 623n },
      { client: OTHER, margin: 522n },
      { margin: 35n },
    ])
    const { times, check } = await books.report(all, [])
    expect(times).toEqual([{ day: dayOf(now() - DAY_MS), orders: 2n, median: 4n, p95: 10n }])
    expect(check.different).toEqual([])
  }
  expect(await books.report(all, [])).toMatchObject({
    total: { margin: 1_180n },
    isComplete: true,
    check: { equal: 1, sentence: 'The report equals the ledger to the SUN, on 1 day.' },
  })
  const [before, after] = seen as [{ rows: unknown }, { rows: unknown }]
  expect(after.rows).toEqual(before.rows)
})

test('what was delivered again after a fork is a cost of the first order', async () => {
  const [order, again] = [ids.next(), ids.next()]
  const at = now() - DAY_MS
  await book(at, charge(CLIENT, order, 1_000))
  const { txid } = await delegated(order, 'own_stake', 1, at)
  await book(at, deliver(order, 1_000))
  const { attempt } = await delegated(again, 'bazaar', 1, at)
  await database.sql(`update delivery.delegation set redelivered_by = $2 where txid = $1`, [
    txid,
    again,
  ])
  const float = 'asset:provider_float:bazaar'
  await book(at, ['provider_cost', attempt, 'cost:provider:bazaar', float, 400])
  expect(await figures('product', 'client')).toEqual([
    {
      product: 'api',
      client: CLIENT,
      revenue: 1_000n,
      providerCost: 400n,
      margin: 600n,
      completed: 1n,
    },
  ])
})

test('Energy that came after the delivery was booked has no part in the price', async () => {
  const order = ids.next()
  const at = now() - DAY_MS
  await book(at, charge(CLIENT, order, 1_000))
  // The time of a block may be ahead of our clock: what came first counts all the same.
  await delegated(order, 'bazaar', 1, at + 7_000)
  await book(at + 6_000, deliver(order, 1_000))
  const whole = [{ provider: 'bazaar', revenue: 1_000n, margin: 1_000n, completed: 1n }]
  expect(await figures('provider')).toEqual(whole)
  await delegated(order, 'own_stake', 1, at + 60_000)
  expect(await figures('provider')).toEqual(whole)
  await roll()
  expect(await figures('provider')).toEqual(whole)
})

test('two workers and a crash count nothing twice', async () => {
  await business(now() - DAY_MS)
  await database.sql(`select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 100000)`)
  const slice = { name: 'test.roll', text: 'select books.roll_forward(3)' }
  const crash = db.transaction(async (tx) => {
    await tx.query(slice)
    throw new Error('crash')
  })
  await expect(crash).rejects.toThrow('crash')
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([db.query(slice), db.query(slice), db.query(slice)])
  }
  expect(await figures('product')).toEqual(BY_PRODUCT)
  await roll()
  expect(await figures('product')).toEqual(BY_PRODUCT)
  expect((await books.report(all, [])).check.different).toEqual([])
})

const goodwill = (amount: number): Move => [
  'adjustment',
  ids.next(),
  'cost:goodwill',
  'client',
  amount,
  CLIENT,
]

test('a late movement counts for its day, and after the close of its month for the open one', async () => {
  const [lastMonth, thisMonth] = [monthBegan(1), monthBegan(0)]
  await book(lastMonth + 5 * DAY_MS, goodwill(5))
  await roll()
  await advanceBusinessTime(db, runtime.clock, 11 * 60_000)
  await book(lastMonth + 6 * DAY_MS, goodwill(6), now() - 600_000)
  await roll()
  expect(await figures('day')).toMatchObject([
    { day: dayOf(lastMonth + 5 * DAY_MS), margin: -5n },
    { day: dayOf(lastMonth + 6 * DAY_MS), margin: -6n },
  ])
  const month = dayOf(lastMonth).slice(0, 7)
  const closing = { month, by: 'ann', why: 'the month is over' }
  expect(await books.close(closing)).toEqual({ month, margin: -11n })

  const reference = ids.next()
  const late: Move = ['adjustment', reference, 'cost:goodwill', 'client', 7, CLIENT]
  await book(lastMonth + 6 * DAY_MS, late, now() - 300_000)
  for (const isRolled of [false, true]) {
    if (isRolled) await roll()
    expect(await figures('month')).toMatchObject([
      { month, margin: -11n },
      { month: dayOf(thisMonth).slice(0, 7), margin: -7n },
    ])
    expect((await books.report(all, [])).check.different).toEqual([])
  }
  const moved = { ofDay: dayOf(lastMonth + 6 * DAY_MS), day: dayOf(thisMonth), amount: -7n }
  expect((await books.report(all, [])).late).toEqual([
    { movement: expect.any(String), kind: 'adjustment', reference, ...moved },
  ])
})

test('a month is closed when it is over, in order, and when its sums are the ledger', async () => {
  const [before, last] = [monthBegan(2), monthBegan(1)]
  const nameOf = (ms: number) => dayOf(ms).slice(0, 7)
  await book(before, goodwill(5))
  await book(last, goodwill(6))
  const close = (ms: number) => books.close({ month: nameOf(ms), by: 'ann', why: 'it is over' })
  expect(await close(before)).toEqual({ refused: `There is nothing in ${nameOf(before)}.` })
  await roll()
  expect(await close(now())).toMatchObject({ refused: expect.stringMatching(/after its end/) })
  expect(await close(last)).toEqual({ refused: `Close ${nameOf(before)} first.` })
  await database.sql(`update books.daily set amount_sun = amount_sun - 1 where day = $1`, [
    dayOf(before),
  ])
  await database.sql(
    `update books.day set compared_at = null, income_off_sun = null, costs_off_sun = null, movements_off = null`,
  )
  expect(await close(before)).toMatchObject({ refused: expect.stringMatching(dayOf(before)) })
  expect(await books.different()).toBe(1n)
  expect((await books.report(all, [])).check).toMatchObject({
    different: [dayOf(before)],
    sentence: `The report DIFFERS from the ledger on ${dayOf(before)}. Do not close this month.`,
  })
  await database.sql(`update books.daily set amount_sun = amount_sun + 1 where day = $1`, [
    dayOf(before),
  ])
  await db.query({ name: 'test.again', text: `select books.compare_day($1, $2)` }, [
    dayOf(before),
    runtime.clock.now(),
  ])
  expect(await close(before)).toEqual({ month: nameOf(before), margin: -5n })
  expect(await close(before)).toMatchObject({ refused: expect.stringMatching(/closed already/) })
  expect(await close(last)).toEqual({ month: nameOf(last), margin: -6n })
})

test('nobody changes a closed month, not even the owner of the tables', async () => {
  const last = monthBegan(1)
  await book(last, goodwill(5))
  await roll()
  await books.close({ month: dayOf(last).slice(0, 7), by: 'ann', why: 'it is over' })
  for (const change of [
    'update books.daily set amount_sun = 0',
    'delete from books.daily',
    `update books.daily set day = day + 40`,
    'delete from books.closed_month',
    'update books.closed_month set margin_sun = 0',
  ]) {
    await expect(database.sql(change)).rejects.toThrow(/closed/)
  }
})
