/** A transfer to a configuration's address, and its outcome. */
export type Payment = {
  id: string
  configId: string
  txid: string
  payer: string
  amount: bigint
  units: bigint
  energy: bigint
  cost: bigint | null
  /** Of the offer by which it was sold; null when nothing was. */
  basePayment: bigint | null
  energyPerUnit: bigint | null
  status: PaymentStatus
  skipReason: string | null
  orderId: string | null
  orphaned: boolean
  createdAt: Date
}

export type PaymentStatus = 'processing' | 'delivering' | 'completed' | 'failed' | 'skipped'

/** Clients read these as an open set. */
export type SkipReason =
  | 'below_base'
  | 'insufficient_balance'
  | 'paused'
  | 'price_above_base'
  | 'payer_is_own_address'
  | 'payer_is_contract'
  | 'address_is_contract'
  | 'service_unavailable'
  | 'account_blocked'
  | 'orphaned'

/** Smaller transfers are recorded and are no payments: 0.01 TRX. */
export const PAYMENT_MIN = 10_000n

/** How long a payment waits for the service to sell again. */
export const RETRY_MS = 10 * 60_000
