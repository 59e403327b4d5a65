import type { Sun } from '../kernel/index.ts'

/** `entry_type` of a client's movements (an open set), and the kinds of our own movements. */
export type EntryType =
  | 'deposit'
  | 'deposit_reversal'
  | 'purchase'
  | 'autoenergy_activate'
  | 'autoenergy_daily'
  | 'autoenergy_unit'
  | 'refund'
  | 'agent_charge'
  | 'agent_revenue'
  | 'agent_revenue_reversal'
  | 'adjustment'
  | 'payout'
  | 'payout_reversal'

/** System accounts. Their sums are computed from the movements; a row would be locked by every purchase. */
export type OwnAccount =
  | 'escrow:orders'
  | 'income:energy'
  | 'income:fees'
  | 'cost:goodwill'
  | 'cost:network'
  | 'asset:deposit_addresses'
  | 'asset:hot'
  /** TRX on the accounts that we stake from. */
  | 'asset:staked'
  | 'equity:operator'
  /** What we paid a marketplace for Energy, and our prepaid balance there. */
  | `cost:provider:${string}`
  | `asset:provider_float:${string}`

/** One movement of a client's money. `amount` is signed as the client sees it: a debit is negative. */
export type Posting = {
  client: string
  kind: EntryType
  reference: string
  amount: Sun
  counter: OwnAccount
  description: string
  trace: string
}
