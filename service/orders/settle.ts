import type { Tx } from '../db/index.ts'
import type { Outcome } from '../delivery/index.ts'
import { type Doors, formatTrx, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Announce } from './announce.ts'
import { chargeOf } from './order.ts'
import { completeOrder, failOrder, lockProcessing, type SettledRow } from './store.ts'

/**
 * Ends an order: status, ledger and event in the transaction of the delivery's outcome. A second
 * outcome for the same order finds it final and changes nothing.
 */
export function createSettle(deps: { doors: Doors; ledger: Ledger; announce: Announce }) {
  const { doors, ledger, announce } = deps

  async function complete(tx: Tx, order: SettledRow, txids: string[]) {
    const { id } = order
    await tx.query(completeOrder, [id, doors.clock.now(), txids])
    await announce(tx, order, { status: 'COMPLETED', error: null })
    await ledger.transfer(tx, {
      kind: 'deliver',
      reference: id,
      from: 'escrow:orders',
      to: 'income:energy',
      amount: sun(order.price),
      description: `Order ${id} delivered`,
    })
  }

  async function fail(tx: Tx, order: SettledRow, reason: string) {
    const { id, price } = order
    const error = `${reason} You were not charged: ${formatTrx(price)} TRX are back on your balance.`
    await tx.query(failOrder, [id, doors.clock.now(), error])
    await announce(tx, order, { status: 'FAILED', error })
    await ledger.refund(tx, {
      kind: chargeOf(order.source),
      reference: id,
      description: `Refund of order ${id}`,
      trace: order.trace,
    })
  }

  return async (tx: Tx, outcome: Outcome): Promise<void> => {
    const [order] = await tx.query(lockProcessing, [outcome.id])
    if (!order) return
    if (outcome.state === 'delivered') await complete(tx, order, outcome.txids)
    else await fail(tx, order, outcome.reason)
  }
}
