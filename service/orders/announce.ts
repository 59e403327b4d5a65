import type { Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import type { SettledRow } from './store.ts'

/** Runs in the transaction that made an order final, before the ledger is locked. */
export type OnFinal = (
  tx: Tx,
  order: { id: string; status: 'COMPLETED' | 'FAILED' },
) => Promise<void>

export type Announce = (
  tx: Tx,
  order: SettledRow,
  end: { status: 'COMPLETED' | 'FAILED'; error: string | null },
) => Promise<void>

/** Tells participants, then writes the one event of an order that has become final. */
export function createAnnounce(deps: { events: Events; onFinal: readonly OnFinal[] }): Announce {
  return async (tx, order, { status, error }) => {
    for (const participant of deps.onFinal) await participant(tx, { id: order.id, status })
    const data = {
      order_id: order.id,
      status,
      resource_type: 'ENERGY' as const,
      resource_amount: String(order.amount),
      receiver_address: order.receiver,
      total_price_sun: order.price,
      error_message: error,
    }
    const { account, trace, id: subject } = order
    await deps.events.emit(tx, [{ account, trace, subject, type: 'order.status_changed', data }])
  }
}
