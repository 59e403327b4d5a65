import { isRefusal, Verbatim } from '@ergon/contract'
import { parseAddress } from '@ergon/tron'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brokenInvariants } from '../../proof/testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../../proof/testing/market.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import type { Outcome } from '../delivery/index.ts'
import { silentLog as log } from '../kernel/index.ts'
import { createStart } from './start.ts'

// All of buying, on real PostgreSQL, compared with a model of a number and a few maps: random
// deposits (some orphaned and mined again), purchases with few keys, checkouts, completions,
// failures, repeats of each, expiring keys and the selling switch. They must agree after every
// command.

const UNIT_PRICE = 30n
const DAY_MS = 86_400_000
const HELD_MS = 30 * 60_000
const AMOUNTS = [32_000n, 50_000n, 65_000n]

type ModelOrder = { id: string; price: bigint; status: string }
type ModelCheckout = { order: ModelOrder; amount: bigint; untilMs: number }
type Model = {
  balance: bigint
  withheld: bigint
  selling: boolean
  deposits: Map<string, { amount: bigint; orphaned: boolean }>
  keys: Map<string, { text: string; atMs: number }>
  orders: ModelOrder[]
  checkouts: ModelCheckout[]
}
type Real = { account: string; address: string; run: string }
type Command = fc.AsyncCommand<Model, Real>

const runtime = testRuntime()
const nowMs = () => runtime.clock.now().getTime()
let market: Market
let receiver: string
let block = 1_000_000

beforeAll(async () => {
  // An API node: no loop starts or delivers, so only the commands change anything.
  market = await openMarket({ role: 'api', scans: true, runtime })
  await market.settings({ schedule: flatSchedule(Number(UNIT_PRICE)) })
  receiver = market.receivers[1]!
})
afterAll(async () => {
  // The outcomes below are invented, so they have no delegations (M11).
  const broken = await brokenInvariants(market.database)
  expect(broken.filter((sentence) => !sentence.startsWith('M11'))).toEqual([])
  await market.close()
})

/** Withheld may exceed the balance; the spendable amount is never negative. */
const spendable = (model: Model) => {
  const left = model.balance - model.withheld
  return left > 0n ? left : 0n
}

/** A deposit may also pay a checkout, if that can be afforded now. */
function payCheckout(model: Model, amount: bigint) {
  const paid = model.checkouts.find(
    (one) => one.order.status === 'AWAITING_PAYMENT' && one.amount === amount,
  )
  if (!paid || nowMs() > paid.untilMs || !model.selling) return
  if (spendable(model) < paid.order.price) return
  model.balance -= paid.order.price
  paid.order.status = 'PENDING'
}

async function arrive(real: Real, hash: string, amount: bigint) {
  const to = parseAddress(real.address)!
  const transfer = { txid: `${real.run}-${hash}`, position: 0, from: to, to, amount }
  const expiresAt = new Date(nowMs() + 60_000)
  block += 1
  const facts = { number: block, id: `block ${block}`, time: runtime.clock.now(), delegations: [] }
  const transfers = [{ ...transfer, purpose: 'deposit', expiresAt }]
  await market.db.transaction((tx) =>
    market.rooms.deposits.onBlock(tx, {
      ...facts,
      tokens: [],
      calls: [],
      departures: [],
      transfers,
    }),
  )
}

async function deposit(model: Model, real: Real, hash: string, amount: bigint) {
  await arrive(real, hash, amount)
  const known = model.deposits.get(hash)
  if (known) {
    // Mined again: the withheld amount can be spent again. Nothing else changes.
    if (known.orphaned) model.withheld -= known.amount
    known.orphaned = false
    return
  }
  model.deposits.set(hash, { amount, orphaned: false })
  model.balance += amount
  payCheckout(model, amount)
}

async function orphan(model: Model, real: Real, hash: string) {
  const [row] = await market.database.sql<{ number: string | null }>(
    'select block_number as number from deposits.deposit where txid = $1',
    [`${real.run}-${hash}`],
  )
  const number = Number(row?.number ?? -1)
  await market.db.transaction((tx) => market.rooms.deposits.onOrphan(tx, { number, id: 'x' }))
  const known = model.deposits.get(hash)
  if (!known || known.orphaned) return
  known.orphaned = true
  model.withheld += known.amount
}

const ask = (real: Real, amount: bigint, key: string | undefined) =>
  market.rooms.orders.buy(
    { account: real.account, trace: 't', source: 'api', key },
    { receiver, amount, resourceType: 'ENERGY', duration: '1h', maxPrice: undefined },
  )

async function buy(model: Model, real: Real, amount: bigint, key: string | undefined) {
  const price = amount * UNIT_PRICE
  const known = key === undefined ? undefined : model.keys.get(key)
  const answer = await ask(real, amount, key)
  if (known && nowMs() - known.atMs < DAY_MS) {
    expect(answer).toEqual(new Verbatim(known.text, { 'idempotency-replayed': 'true' }))
  } else if (!model.selling) {
    expect(answer).toMatchObject({ refused: 'service_unavailable' })
  } else if (spendable(model) < price) {
    const extra = { current_balance: spendable(model), required_amount: price }
    expect(answer).toEqual({ refused: 'insufficient_balance', extra })
  } else accepted(model, answer, price, key)
}

function accepted(model: Model, answer: unknown, price: bigint, key: string | undefined) {
  model.balance -= price
  expect(answer).toBeInstanceOf(Verbatim)
  const { body, headers } = answer as Verbatim
  expect(headers).toBeUndefined()
  const { order_id, total_price_sun, balance_after_sun } = JSON.parse(body)
  expect([BigInt(total_price_sun), BigInt(balance_after_sun)]).toEqual([price, model.balance])
  model.orders.push({ id: order_id, price, status: 'PENDING' })
  if (key !== undefined) model.keys.set(key, { text: body, atMs: nowMs() })
}

/** Two at once with one key: at most one of them buys, the other is refused. */
async function buyTwice(model: Model, real: Real, amount: bigint, key: string) {
  const answers = await Promise.all([ask(real, amount, key), ask(real, amount, key)])
  const busy = answers.filter((one) => isRefusal(one) && one.refused === 'duplicate_request')
  expect(busy).toHaveLength(1)
  const fresh = answers.find(
    (one) => one instanceof Verbatim && !one.headers?.['idempotency-replayed'],
  )
  if (fresh) accepted(model, fresh, amount * UNIT_PRICE, key)
}

async function openCheckout(model: Model, real: Real, amount: bigint) {
  const made = await market.rooms.orders.openCheckout(
    { account: real.account, trace: 't', source: 'checkout', key: undefined },
    { receiver, amount, resourceType: 'ENERGY', duration: '1h', maxPrice: undefined },
  )
  if (!model.selling) return expect(made).toMatchObject({ refused: 'service_unavailable' })
  if (isRefusal(made)) throw new Error(made.refused)
  const order = { id: made.order.id, price: amount * UNIT_PRICE, status: 'AWAITING_PAYMENT' }
  const others = model.checkouts.filter((one) => one.order.status === 'AWAITING_PAYMENT')
  expect(others.map((one) => one.amount)).not.toContain(made.amount)
  model.orders.push(order)
  model.checkouts.push({ order, amount: made.amount, untilMs: nowMs() + HELD_MS })
}

async function start(model: Model) {
  await createStart({ db: market.db, runtime, log, delivery: () => market.rooms.delivery })()
  for (const order of model.orders) if (order.status === 'PENDING') order.status = 'PROCESSING'
}

async function finish(model: Model, index: number, delivered: boolean) {
  const order = model.orders[index % model.orders.length]
  if (!order) return
  const outcome: Outcome = delivered
    ? { id: order.id, state: 'delivered', txids: ['ab'.repeat(32)] }
    : { id: order.id, state: 'failed', reason: 'No.' }
  await market.db.transaction((tx) => market.rooms.orders.onOutcome(tx, [outcome]))
  if (order.status !== 'PROCESSING') return
  order.status = delivered ? 'COMPLETED' : 'FAILED'
  if (!delivered) model.balance += order.price
}

async function advance(hours: number) {
  runtime.clock.setAheadMs(runtime.clock.aheadMs() + hours * 3_600_000)
  await market.rooms.events.prepare()
}

async function agree(model: Model, { account }: Real) {
  const held = await market.rooms.ledger.balanceOf(account)
  expect([held.balance, held.spendable]).toEqual([model.balance, spendable(model)])
  const page = { page: 1, pageSize: 100, address: '' }
  const { orders, total } = await market.rooms.orders.list(account, page)
  expect(Number(total)).toBe(model.orders.length)
  expect(orders.map(({ id, status, price }) => ({ id, price, status })).reverse()).toEqual(
    model.orders,
  )
  const { entries } = (await market.rooms.ledger.entries(account, {
    limit: 100,
    cursor: undefined,
  })) as { entries: { amount: bigint; balanceAfter: bigint }[] }
  if (entries.length === 100) return
  expect(entries.reduce((sum, entry) => sum + entry.amount, 0n)).toBe(model.balance)
  expect(entries[0]?.balanceAfter ?? 0n).toBe(model.balance)
}

function command(name: string, work: (model: Model, real: Real) => Promise<unknown>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await work(model, real)
      await agree(model, real)
    },
    toString: () => name,
  }
}

const hash = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const key = fc.constantFrom('k1', 'k2')
const amount = fc.constantFrom(...AMOUNTS)
const place = fc.nat(9)
const trx = fc.constantFrom(1_000_000n, 1_950_000n, 10_000_000n)

const deposits = fc
  .tuple(hash, trx)
  .map(([h, sun]) => command(`deposit ${h} ${sun}`, (m, r) => deposit(m, r, h, sun)))
const orphans = hash.map((h) => command(`orphan ${h}`, (m, r) => orphan(m, r, h)))
const buys = fc
  .tuple(amount, fc.option(key, { nil: undefined, freq: 3 }))
  .map(([a, k]) => command(`buy ${a} ${k}`, (m, r) => buy(m, r, a, k)))
const twins = fc
  .tuple(amount, key)
  .map(([a, k]) => command(`twins ${a} ${k}`, (m, r) => buyTwice(m, r, a, k)))
const checkouts = amount.map((a) => command(`checkout ${a}`, (m, r) => openCheckout(m, r, a)))
const payments = fc.tuple(place, hash, fc.constantFrom(0n, 0n, 1n)).map(([at, h, off]) =>
  command(`pay ${at} ${h} +${off}`, async (m, r) => {
    const checkout = m.checkouts[at % m.checkouts.length]
    if (checkout) await deposit(m, r, `pay-${h}`, checkout.amount + off)
  }),
)
const starts = fc.constant(command('start', start))
const finishes = fc
  .tuple(place, fc.boolean())
  .map(([at, ok]) => command(`finish ${at} ${ok}`, (m) => finish(m, at, ok)))
const hours = fc
  .constantFrom(1, 23, 25, 25)
  .map((count) => command(`advance ${count} h`, () => advance(count)))
const switches = fc.constantFrom(true, true, false).map((on) =>
  command(`selling ${on}`, async (model) => {
    await market.rooms.orders.setSelling(on, null)
    model.selling = on
  }),
)

// Listed twice where a run needs them often to get anywhere.
const commands = [
  ...[deposits, deposits, orphans, buys, buys, buys, twins, checkouts, payments, payments],
  ...[starts, starts, starts, finishes, finishes, finishes, hours, hours, switches],
]

test('buying agrees with the model, whatever comes in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (list) => {
      await market.rooms.orders.setSelling(true, null)
      await market.rooms.providers.refresh()
      const { account } = await market.rooms.accounts.create('model')
      const address = await market.rooms.addresses.depositAddressOf(account)
      const model: Model = {
        balance: 0n,
        withheld: 0n,
        selling: true,
        deposits: new Map(),
        keys: new Map(),
        orders: [],
        checkouts: [],
      }
      await fc.asyncModelRun(() => ({ model, real: { account, address, run: account } }), list)
    }),
    { numRuns: 40 },
  )
})
