import type { Tx } from '../db/index.ts'
import type { TakenBack } from '../delivery/index.ts'
import type { Events } from '../events/index.ts'
import { type Runtime, sun } from '../kernel/index.ts'
import type { Ledger, OwnAccount } from '../ledger/index.ts'
import { type CreditedRow, insertCredits, lockCompleted } from './reclaimCredit.sql.ts'

/** `seconds`: of the part that misses most. */
type Credit = { order: CreditedRow; of: TakenBack; energy: bigint; seconds: bigint; amount: bigint }

type Part = Pick<TakenBack, 'whole' | 'energy' | 'stake' | 'taken' | 'seconds'>

const HOUR_SECONDS = 3_600n

/**
 * The price of the Energy that was taken for the seconds that were missing. Sellers delegate a little more than was
 * ordered: the price is that of all of it.
 */
export function creditFor(
  order: { price: bigint; amount: bigint },
  { whole, energy, stake, taken, seconds }: Part,
): bigint {
  // One division: each step of its own would round down again.
  return (order.price * energy * taken * seconds) / (soldAs(order, whole) * stake * HOUR_SECONDS)
}

const soldAs = ({ amount }: { amount: bigint }, whole: bigint) => (whole > amount ? whole : amount)

/** The Energy of the order that was taken. */
function lostBy(order: { amount: bigint }, { whole, energy, stake, taken }: Part): bigint {
  return (order.amount * energy * taken) / (soldAs(order, whole) * stake)
}

/** One credit per order and transaction, together never more than the price. */
export function creditsFor(orders: readonly CreditedRow[], taken: readonly TakenBack[]): Credit[] {
  return orders.flatMap((order) => {
    const own = taken.filter(({ request }) => request === order.id)
    const [first] = own
    if (!first) return []
    const worth = own.reduce((sum, part) => sum + creditFor(order, part), 0n)
    const left = order.price - order.before
    const energy = own.reduce((sum, part) => sum + lostBy(order, part), 0n)
    const seconds = own.reduce((most, part) => (part.seconds > most ? part.seconds : most), 0n)
    return [{ order, of: first, energy, seconds, amount: worth < left ? worth : left }]
  })
}

/** The seller bears it where there is one; own stake that left us is our loss. */
function bearerOf(provider: string): OwnAccount {
  return provider === 'own_stake' ? 'cost:goodwill' : `cost:provider:${provider}`
}

/**
 * Gives back what completed orders missed, in the transaction that decides the reclaim. The ledger comes last: nothing
 * may be locked after it.
 */
export function createReclaimCredit(deps: { runtime: Runtime; ledger: Ledger; events: Events }) {
  const { ledger, events } = deps

  return async (tx: Tx, taken: readonly TakenBack[]): Promise<void> => {
    const requests = [...new Set(taken.map(({ request }) => request))]
    const credits = creditsFor(await tx.query(lockCompleted, [requests]), taken)
    if (credits.length === 0) return
    const column = <T>(pick: (credit: Credit) => T) => credits.map(pick)
    await tx.query(insertCredits, [
      column(({ order }) => order.id),
      column(({ of }) => of.reclaimTxid),
      column(({ of }) => of.provider),
      column(({ energy }) => energy),
      column(({ seconds }) => seconds),
      column(({ amount }) => amount),
      column(({ of }) => of.at),
    ])
    const paid = credits.filter(({ amount }) => amount > 0n)
    await events.emit(tx, paid.map(eventOf))
    await ledger.post(
      tx,
      paid.map(({ order, of, energy, seconds, amount }) => ({
        client: order.account,
        kind: 'reclaim_credit' as const,
        reference: `${order.id}:${of.reclaimTxid}`,
        amount: sun(amount),
        counter: bearerOf(of.provider),
        description: `${energy} Energy of order ${order.id} taken back ${seconds} seconds early`,
        trace: order.trace,
      })),
    )
  }
}

function eventOf({ order, of, energy, seconds, amount }: Credit) {
  const { account, trace, id: subject } = order
  const data = {
    order_id: order.id,
    receiver_address: order.receiver,
    reclaim_txid: of.reclaimTxid,
    reclaimed_at: of.at.toISOString(),
    energy: String(energy),
    missing_seconds: seconds,
    credit_sun: sun(amount),
    total_price_sun: order.price,
  }
  return { account, trace, subject, type: 'order.energy_reclaimed' as const, data }
}
