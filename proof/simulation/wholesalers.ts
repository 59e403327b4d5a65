import { isRefusal, Verbatim } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import type { Asked, Batch, Held } from './asked.ts'
import { deposit, payersOf } from './buyers.ts'
import type { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'

// Clients that hold prices and buy many orders by one call, while prices move; and what is known of their requests, to be
// compared with the orders that were made.

const AMOUNTS = [65_000n, 65_000n, 130_000n]
const KEYS = 12
const UNIT_PRICES = [24n, 30n, 45n]
const BATCH_MAX = 3
/** Enough for a few orders, so that the balance refuses some batches. */
const DEPOSIT = { least: 8_000_000, more: 8_000_000 }
const HOURS = 24

type Want = Pick<Asked, 'account' | 'key' | 'amount' | 'quote'>

/** Holds prices, redeems them more than once, buys batches with keys that it used, and repeats what was not answered. */
export async function runWholesaler(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  const held: Held[] = []
  // Nothing is sold before there are offers.
  while (held.length === 0 && !sim.isCalm) {
    await sim.rest(life)
    await hold(sim, life, random.pick(sim.accounts), held)
  }
  for (let done = 0; done < acts && !sim.isCalm; done++) {
    await (random.once(2) ? sim.rest(life) : life.step('acts at once'))
    const account = random.pick(sim.accounts)
    const what = random.below(12)
    if (what === 0) deposit(sim, account, random, DEPOSIT)
    else if (what === 1) await reprice(sim, life)
    else if (what < 5 || held.length === 0) await hold(sim, life, account, held)
    else if (what < 8) await redeem(sim, life, random.pick(held.slice(-2)))
    else await buyTogether(sim, life, account, held)
  }
}

/** Another price, known at once only to the node that was asked. */
async function reprice(sim: Simulation, life: Life): Promise<void> {
  const unit = life.random.pick(UNIT_PRICES)
  const schedule = Array.from({ length: HOURS }, () => unit)
  await sim.call(life, ({ pricing }) => pricing.changeTerms({ schedule }))
  sim.trace(`${life.name}: ${unit} SUN per Energy`)
}

async function hold(sim: Simulation, life: Life, { id: account }: Account, held: Held[]) {
  const amount = life.random.pick(AMOUNTS)
  const answer = await sim.call(life, ({ orders }) => orders.holdPrice(account, amount))
  if (answer === undefined) return
  if (isRefusal(answer)) return sim.trace(`${life.name} holds nothing: ${answer.refused}`)
  sim.trace(`${life.name} holds ${answer.price} SUN as ${answer.id}`)
  held.push({ ...answer, account })
}

/** By one order, or by two that were sent to different nodes at the same moment. */
async function redeem(sim: Simulation, life: Life, quote: Held): Promise<void> {
  const { random } = life
  const orders = Array.from({ length: 1 + random.below(2) }, (): Want => {
    const amount = random.once(8) ? quote.amount + 1_000n : quote.amount
    return { account: quote.account, key: keyOf(life), amount, quote }
  })
  await Promise.all(orders.map((want) => buyOne(sim, life, want)))
}

const keyOf = ({ random }: Life) => (random.once(4) ? undefined : `key-${random.below(KEYS)}`)

async function buyOne(sim: Simulation, life: Life, want: Want): Promise<void> {
  const asked = ask(sim, life, want, undefined)
  const { account, key } = want
  const answer = await sim.call(life, ({ orders }) =>
    orders.buy({ account, trace: asked.trace, source: 'api', key }, asked.wish),
  )
  note(sim, asked, answer)
}

type Sent = Asked & { wish: ReturnType<typeof wishOf> }

function ask(sim: Simulation, life: Life, want: Want, of: Batch | undefined): Sent {
  const asked = { ...want, trace: sim.nextTrace(), of }
  sim.asked.push(asked)
  return { ...asked, wish: wishOf(sim, life, want) }
}

function wishOf(sim: Simulation, { random }: Life, { amount, quote }: Want) {
  const receiver = toBase58(payersOf(sim)[5 + random.below(2)]!.address)
  const usual = { receiver, amount, resourceType: 'ENERGY', duration: '1h', maxPrice: undefined }
  return { ...usual, quote: quote?.id }
}

/** True when the answer is known and says that the order was made. */
function note(
  sim: Simulation,
  { account, key, trace }: Asked,
  answer: unknown,
): boolean | undefined {
  if (answer instanceof Verbatim) {
    sim.acknowledge({ account, key, body: answer.body })
    return true
  }
  if (!isRefusal(answer) || answer.refused === 'internal_error') return undefined
  sim.trace(`${trace} is refused: ${answer.refused}`)
  sim.refused.push(trace)
  return false
}

/** Several purchases by one call. What was not answered is asked for again, each for itself. */
async function buyTogether(sim: Simulation, life: Life, account: Account, held: Held[]) {
  const { random } = life
  const wants = Array.from({ length: 2 + random.below(BATCH_MAX - 1) }, (): Want => {
    const quote = random.once(4) ? random.pick(held) : undefined
    const isOwn = quote?.account === account.id
    const amount = isOwn ? quote.amount : random.pick(AMOUNTS)
    const key = keyOf(life) ?? `key-${random.below(KEYS)}`
    return { account: account.id, key, amount, quote: isOwn ? quote : undefined }
  })
  const isKnown = await send(sim, life, wants, random.once(3) ? 'each' : 'all')
  if (!isKnown) await send(sim, life, wants, 'each')
}

async function send(
  sim: Simulation,
  life: Life,
  wants: readonly Want[],
  mode: 'each' | 'all',
): Promise<boolean> {
  const batch: Batch = { traces: [], answered: undefined }
  const asked = wants.map((want) => ask(sim, life, want, mode === 'all' ? batch : undefined))
  batch.traces = asked.map(({ trace }) => trace)
  const wanted = asked.map(({ account, key, trace, wish }) => ({
    buyer: { account, trace, source: 'api' as const, key },
    wish,
  }))
  sim.trace(`${life.name} buys ${batch.traces.join(', ')} in mode ${mode}`)
  const answers = await sim.call(life, ({ orders }) => orders.batches[mode](wanted))
  const made = asked.map((one, place) => note(sim, one, answers?.[place]))
  if (made.includes(undefined)) return false
  batch.answered = made.every(Boolean) ? 'made' : 'refused'
  return true
}

type OrderRow = { trace: string; price: string; amount: string; at: Date; status: string }

const ordersOf = (sim: Simulation) =>
  sim.database.sql<OrderRow>(`
    select trace, price_sun::text as price, resource_amount::text as amount, created_at as at, status
      from orders.purchase_order where source = 'api' order by trace`)

/** Invariants that hold at every moment: by what was asked and what was promised, not by keys and quotes as we have them. */
export async function brokenWholesale(sim: Simulation): Promise<string[]> {
  if (sim.asked.length === 0) return []
  const orders = new Map((await ordersOf(sim)).map((order) => [order.trace, order]))
  const made = sim.asked.filter(({ trace }) => orders.has(trace))
  return [
    ...brokenQuotes(made, orders),
    ...brokenKeys(made),
    ...brokenBatches(sim, made),
    ...(await brokenCommissions(sim, [...orders.values()])),
  ]
}

function brokenQuotes(made: readonly Asked[], orders: ReadonlyMap<string, OrderRow>): string[] {
  const redeemed = made.filter(({ quote }) => quote !== undefined)
  const byQuote = Map.groupBy(redeemed, ({ quote }) => quote!)
  return [...byQuote].flatMap(([{ id, price, amount, expiresAt }, by]) => {
    if (by.length > 1) return [`quote ${id} was redeemed by ${by.length} orders`]
    const order = orders.get(by[0]!.trace)!
    if (BigInt(order.price) !== price) return [`quote ${id} of ${price} SUN cost ${order.price}`]
    if (BigInt(order.amount) !== amount) return [`quote ${id} was redeemed for ${order.amount}`]
    return order.at >= expiresAt ? [`quote ${id} was redeemed when it was over`] : []
  })
}

/** A key buys once, also where it comes alone once and in a batch another time. */
function brokenKeys(made: readonly Asked[]): string[] {
  const byKey = Map.groupBy(made, ({ account, key }) => (key ? `${key} of ${account}` : ''))
  return [...byKey].flatMap(([key, some]) =>
    key !== '' && some.length > 1 ? [`${key} bought ${some.length} times`] : [],
  )
}

/** A batch in mode `all` is bought as a whole or not at all, and the answer says which. */
function brokenBatches(sim: Simulation, made: readonly Asked[]): string[] {
  const batches = new Set(sim.asked.flatMap(({ of }) => of ?? []))
  return [...batches].flatMap((batch) => {
    const { traces, answered } = batch
    const count = made.filter(({ of }) => of === batch).length
    const what = `the batch of ${traces.join(', ')}`
    if (count > 0 && count < traces.length) {
      return [`of ${what} ${count} of ${traces.length} were made`]
    }
    return answered === 'refused' && count > 0 ? [`${what} was refused and made`] : []
  })
}

/** Share of an order's price, in basis points, that goes to who brought the client. */
export const COMMISSION = 1_250n

/** The second client signed up through the first. */
export async function openReferral({ accounts, database }: Simulation): Promise<void> {
  const [first, second] = accounts
  await database.sql(`update identity.account set referral_code = 'brought' where id = $1`, [
    first!.id,
  ])
  await database.sql(
    `insert into identity.sign_up (login, account_id, referral_code, created_at)
     values ('second', $1, 'brought', '2030-01-01Z')`,
    [second!.id],
  )
}

/** The client who brought the other has its share of each completed order, once. */
async function brokenCommissions(sim: Simulation, orders: readonly OrderRow[]): Promise<string[]> {
  const [first, second] = sim.accounts
  const ofSecond = new Set(
    sim.asked.flatMap((one) => (one.account === second!.id ? one.trace : [])),
  )
  const completed = orders.filter(
    ({ trace, status }) => ofSecond.has(trace) && status === 'COMPLETED',
  )
  const shares = completed.map(({ price }) => (BigInt(price) * COMMISSION) / 10_000n)
  const due = shares.reduce((sum, share) => sum + share, 0n)
  const rows = await sim.database.sql<{ paid: string }>(
    `select coalesce(sum(amount_sun), 0)::text as paid from ledger.movement
      where kind = 'adjustment' and client_id = $1`,
    [first!.id],
  )
  const paid = BigInt(rows[0]!.paid)
  const isOver = sim.isCalm && (await unpaid(sim)).length === 0
  if (paid > due) return [`commissions of ${paid} SUN were paid, ${due} are due`]
  return isOver && paid < due ? [`commissions of ${paid} SUN were paid, and ${due} are due`] : []
}

/** Commissions that are still to be paid although the faults have ended. */
export async function unpaid({ database }: Simulation): Promise<string[]> {
  const rows = await database.sql<{ what: string }>(
    `select 'the commission of ' || order_id || ' is not paid' as what from orders.commission where paid_at is null`,
  )
  return rows.map(({ what }) => what)
}
