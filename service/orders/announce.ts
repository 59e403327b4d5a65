import type { Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import type { SettledRow } from './store.ts'

/** Runs in the transaction that made orders final, before the ledger is locked. */
export type OnFinal = (tx: Tx, orders: readonly Final[]) => Promise<void>

export type Final = { id: string; status: 'COMPLETED' | 'FAILED' }

export type End = { order: SettledRow; status: Final['status']; error: string | null }

export type Announce = (tx: Tx, ends: readonly End[]) => Promise<void>

/** Calls the participants, then writes one event for each order that has become final. */
export function createAnnounce(deps: { events: Events; onFinal: readonly OnFinal[] }): Announce {
  return async (tx, ends) => {
    const final = ends.map(({ order, status }) => ({ id: order.id, status }))
    for (const participant of deps.onFinal) await participant(tx, final)
    await deps.events.emit(tx, ends.map(eventOf))
  }
}

function eventOf({ order, status, error }: End) {
  const { account, trace, id: subject } = order
  const data = {
    order_id: order.id,
    status,
    resource_type: 'ENERGY' as const,
    resource_amount: String(order.amount),
    receiver_address: order.receiver,
    total_price_sun: order.price,
    error_message: error,
  }
  return { account, trace, subject, type: 'order.status_changed' as const, data }
}
