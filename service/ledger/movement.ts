import type { Sun } from '../kernel/index.ts'

/** The words a client reads as `entry_type` (an open set), and those of movements of our own. */
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

/** Accounts of our own. Their sums are read from the movements; there is no row that all would lock. */
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
  /** What a marketplace was paid for Energy, and what of ours it holds for that. */
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
