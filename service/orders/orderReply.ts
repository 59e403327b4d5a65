import { formatTrx } from '../kernel/index.ts'
import type { Order } from './order.ts'
import type { ReclaimCredit } from './reclaimCredit.sql.ts'

/** An order as every mount shows it. */
export function orderReply(order: Order) {
  return {
    id: order.id,
    status: order.status,
    resource_type: 'ENERGY' as const,
    resource_amount: Number(order.amount),
    duration: '1h' as const,
    receiver_address: order.receiver,
    buyer_address: order.buyer,
    total_price_sun: order.price,
    total_price_trx: formatTrx(order.price),
    source: order.source,
    delegation_txids: order.txids,
    error_message: order.error,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    completed_at: order.completedAt?.toISOString() ?? null,
  }
}

/** A credit as its proof and operators see it. */
export const creditReply = ({ txid, at, energy, seconds, amount }: ReclaimCredit) => ({
  reclaim_txid: txid,
  reclaimed_at: at.toISOString(),
  energy: Number(energy),
  missing_seconds: Number(seconds),
  credit_trx: formatTrx(amount),
})
