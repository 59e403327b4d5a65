import type { Order } from '@ergon/devnet'
import { decodeTransaction } from '@ergon/tron'
import type { Simulation } from './simulation.ts'

// Checks Energy bought at marketplaces against the marketplaces and the chain: one order per
// attempt, no accepted order is given up, and the amount charged is the amount booked.

type AttemptRow = {
  id: string
  provider: string
  state: string
  orderId: string | null
  booked: string
}

const OPEN = ['sending', 'sent', 'unknown', 'undecided']
/** Without faults an order ends at most this long after its deadline. */
const FINAL_WITHIN_MS = 300_000

const attemptsOf = (sim: Simulation) =>
  sim.database.sql<AttemptRow>(`
    select a.id, a.provider, a.state, a.order_id as "orderId",
           (select coalesce(sum(m.amount_sun), 0)::text from ledger.movement m
             where m.kind in ('provider_cost', 'provider_goodwill')
               and (m.reference_id = a.id::text
                    or m.reference_id in (select txid from delivery.claim c where c.attempt_id = a.id))) as booked
      from delivery.attempt a
     where a.called_at is not null
     order by a.id`)

/** Invariants that hold at every moment. */
export async function brokenBuying(sim: Simulation): Promise<string[]> {
  const broken = await brokenDeadlines(sim)
  if (!sim.markets) return broken
  const attempts = await attemptsOf(sim)
  const taken = new Map<string, string>()
  const strangers: string[] = []
  for (const { name, order } of sim.markets.orders()) {
    const attempt = attemptOf(attempts, order)
    if (!attempt) {
      if (order.reference === undefined) strangers.push(name)
      else broken.push(`${name} has order ${order.id} for an attempt that was never written`)
      continue
    }
    const other = taken.get(attempt.id)
    if (other) broken.push(`attempt ${attempt.id} bought twice at ${name}: ${other}, ${order.id}`)
    taken.set(attempt.id, order.id)
    if (attempt.state === 'absent' || attempt.state === 'refused') {
      broken.push(
        `attempt ${attempt.id} was given up as ${attempt.state}; ${name} took ${order.id}`,
      )
    }
  }
  return [...broken, ...brokenStrangers(attempts, strangers)]
}

/** An order without our id must belong to an attempt that has not learned its order id yet. */
function brokenStrangers(attempts: AttemptRow[], strangers: string[]): string[] {
  return [...new Set(strangers)].flatMap((name) => {
    const orders = strangers.filter((one) => one === name).length
    const waiting = attempts.filter(
      ({ provider, state, orderId }) =>
        provider === name && orderId === null && OPEN.includes(state),
    ).length
    return orders > waiting ? [`${name} took ${orders} orders of which ${waiting} are awaited`] : []
  })
}

/** The attempt that an order of a marketplace was placed for. */
export function attemptOf<Row extends Pick<AttemptRow, 'id' | 'orderId'>>(
  attempts: readonly Row[],
  { id, reference }: Order,
): Row | undefined {
  return attempts.find((attempt) =>
    reference === undefined ? attempt.orderId === id : attempt.id === reference,
  )
}

async function brokenDeadlines(sim: Simulation): Promise<string[]> {
  const { calmSinceMs, world } = sim
  if (calmSinceMs === undefined || world.nowMs < calmSinceMs + FINAL_WITHIN_MS) return []
  const rows = await sim.database.sql<{ id: string }>(
    `select id from delivery.request where state = 'open' and deadline_at < $1 order by id`,
    [new Date(world.nowMs - FINAL_WITHIN_MS)],
  )
  return rows.map(({ id }) => `order ${id} is open long after its deadline`)
}

/** Open attempts whose result the marketplace can still report. */
export async function unbought(sim: Simulation): Promise<string[]> {
  if (!sim.markets) return []
  const attempts = await attemptsOf(sim)
  const orders = sim.markets.orders()
  return attempts.flatMap((attempt) => {
    const { id, provider, state, orderId } = attempt
    if (!OPEN.includes(state) || state === 'undecided') return []
    const found = orders.find(({ order }) => attemptOf([attempt], order) === attempt)
    // Tronsave never reports a failed order: a partly filled order stays open until an operator
    // decides.
    if (provider === 'tronsave' && found?.order.state === 'ended') return []
    if (provider === 'catfee' && orderId === null) return []
    return [`attempt ${id} at ${provider} is ${state}`]
  })
}

/** Invariants that hold when all work has ended. */
export async function brokenPurchases(sim: Simulation): Promise<string[]> {
  const broken = await brokenAmounts(sim)
  if (!sim.markets) return broken
  const attempts = await attemptsOf(sim)
  for (const { name, order } of sim.markets.orders()) {
    const attempt = attemptOf(attempts, order)
    if (!attempt || OPEN.includes(attempt.state)) continue
    const charged = order.cost - (order.state === 'ended' ? order.refund : 0n)
    const booked = BigInt(attempt.booked)
    // For a partly filled order we know the Energy, not the refund: allow 1 %.
    const slack = order.state === 'ended' ? charged / 100n : 0n
    if (booked < charged - slack || booked > charged + slack) {
      broken.push(`${name} charged ${charged} SUN for attempt ${attempt.id}, booked are ${booked}`)
    }
  }
  return broken
}

const SUN_PER_ENERGY = 100_000n

/** A completed order has exactly its Energy on the chain. */
async function brokenAmounts(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ id: string; energy: string; attempts: string[] }>(`
    select o.id, r.energy::text, array_agg(a.id::text) as attempts
      from orders.purchase_order o
      join delivery.request r on r.id = o.id
      join delivery.part p on p.request_id = r.id
      join delivery.attempt a on a.part_id = p.id
     where o.status = 'COMPLETED'
     group by o.id, r.energy order by o.id`)
  const own = await sim.database.sql<{ txid: string; attempt: string }>(
    `select txid, attempt_id as attempt from delivery.delegation`,
  )
  const stakes = stakesOf(sim)
  const bought = await attemptsAndTxids(sim)
  return rows.flatMap(({ id, energy, attempts }) => {
    const txids = [...own, ...bought].flatMap(({ txid, attempt }) =>
      attempts.includes(attempt) ? [txid] : [],
    )
    const given = [...new Set(txids)].reduce((sum, txid) => sum + (stakes.get(txid) ?? 0n), 0n)
    const [wanted, has] = [BigInt(energy), given / SUN_PER_ENERGY]
    if (has * 1_000n >= wanted * 999n && has < wanted * 2n) return []
    return [`order ${id} of ${wanted} Energy is COMPLETED and has ${has} on the chain`]
  })
}

async function attemptsAndTxids(sim: Simulation) {
  if (!sim.markets) return []
  const attempts = await attemptsOf(sim)
  return sim.markets.orders().flatMap(({ order }) => {
    const attempt = attemptOf(attempts, order)
    return attempt && order.delegation ? [{ txid: order.delegation.txid, attempt: attempt.id }] : []
  })
}

/** Stake of every delegation on the chain, in SUN. */
function stakesOf({ world: { chain } }: Simulation): Map<string, bigint> {
  const stakes = new Map<string, bigint>()
  for (let number = 1; number <= chain.head.number; number++) {
    const block = chain.block(number)!
    for (const [index, bytes] of block.transactions.entries()) {
      const { type, value } = decodeTransaction(bytes).raw.contract
      if (type === 'DelegateResourceContract') stakes.set(block.txids[index]!, value.balance)
    }
  }
  return stakes
}
