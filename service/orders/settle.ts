import type { Tx } from '../db/index.ts'
import type { Outcome } from '../delivery/index.ts'
import type { Events } from '../events/index.ts'
import { type Doors, formatTrx, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { completeOrder, failOrder, lockProcessing, type SettledRow } from './store.ts'

/** Runs in the transaction that made an order final, before the ledger is locked. */
export type OnFinal = (
  tx: Tx,
  order: { id: string; status: 'COMPLETED' | 'FAILED' },
) => Promise<void>

/**
 * Ends an order: status, ledger and event in the transaction of the delivery's outcome. A second
 * outcome for the same order finds it final and changes nothing.
 */
export function createSettle(deps: {
  doors: Doors
  ledger: Ledger
  events: Events
  onFinal: readonly OnFinal[]
}) {
  const { doors, ledger, events, onFinal } = deps

  async function announce(
    tx: Tx,
    order: SettledRow,
    status: 'COMPLETED' | 'FAILED',
    error: string | null,
  ) {
    for (const participant of onFinal) await participant(tx, { id: order.id, status })
    const data = {
      order_id: order.id,
      status,
      resource_type: 'ENERGY',
      resource_amount: String(order.amount),
      receiver_address: order.receiver,
      total_price_sun: order.price,
      error_message: error,
    }
    const { account, trace, id: subject } = order
    await events.emit(tx, [{ account, trace, subject, type: 'order.status_changed', data }])
  }

  async function complete(tx: Tx, order: SettledRow, txids: string[]) {
    const { id } = order
    await tx.query(completeOrder, [id, doors.clock.now(), txids])
    await announce(tx, order, 'COMPLETED', null)
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
    await announce(tx, order, 'FAILED', error)
    await ledger.refund(tx, {
      kind: 'purchase',
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
