import type { NewEvent } from '../../events/index.ts'
import type { SkipReason } from '../payment.ts'
import type { DeadRow } from './finish.sql.ts'

type AnnouncedPayment = Omit<DeadRow, 'status'>

function common({ configId, publicId, title, payer, amount }: AnnouncedPayment) {
  return { config_id: configId, public_id: publicId, title, payer, amount_sun: amount }
}

export function saleEvent(
  payment: AnnouncedPayment,
  sale: { units: bigint; energy: bigint; price: bigint; order: string },
): NewEvent {
  const { account, txid, id: subject } = payment
  const data = {
    ...common(payment),
    units: sale.units,
    energy: sale.energy,
    cost_sun: sale.price,
    order_id: sale.order,
    tx_hash: txid,
  }
  return { account, type: 'agent.sale', subject, trace: txid, data }
}

export function skipEvent(payment: AnnouncedPayment, reason: SkipReason): NewEvent {
  const { account, txid, id: subject } = payment
  const paused = reason === 'insufficient_balance'
  const data = { ...common(payment), reason, paused, tx_hash: txid }
  return { account, type: 'agent.payment_skipped', subject, trace: txid, data }
}
