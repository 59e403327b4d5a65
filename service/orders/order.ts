import type { Sun } from '../kernel/index.ts'

export type OrderStatus = 'PENDING' | 'PROCESSING' | 'AWAITING_PAYMENT' | 'COMPLETED' | 'FAILED'

export type OrderSource = 'api' | 'workspace' | 'agent' | 'checkout'

export type Order = {
  id: string
  account: string
  number: bigint
  status: OrderStatus
  amount: bigint
  receiver: string
  buyer: string
  price: Sun
  source: OrderSource
  txids: string[]
  error: string | null
  createdAt: Date
  updatedAt: Date
  completedAt: Date | null
}

/** The ledger's kind of the charge for an order. */
export function chargeOf(source: OrderSource): 'purchase' | 'agent_charge' {
  return source === 'agent' ? 'agent_charge' : 'purchase'
}

/** A final order never changes. */
export function isFinal({ status }: Pick<Order, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'FAILED'
}

/** An order that is not completed within this time fails and is refunded in full. */
export const DEADLINE_MS = 120_000

/** How long the Energy stays on the address: `1h`, the only duration sold. */
export const DURATION_SECONDS = 3_600n
