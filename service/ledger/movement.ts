import type { Sun } from '../kernel/index.ts'

/**
 * Kinds of movements of clients: the words that a client reads as `entry_type` (an open set). The table
 * ledger.kind has the same names, and says which of them may take a balance below zero.
 */
export const ENTRY_TYPES = [
  'deposit',
  'deposit_reversal',
  'purchase',
  'autoenergy_activate',
  'autoenergy_daily',
  'autoenergy_unit',
  'refund',
  'reclaim_credit',
  'agent_charge',
  'agent_revenue',
  'agent_revenue_reversal',
  'adjustment',
  'payout',
  'payout_reversal',
] as const
export type EntryType = (typeof ENTRY_TYPES)[number]

/** Kinds of movements between accounts of our own; in ledger.kind as well. */
export const OWN_KINDS = [
  'deliver',
  'network_fee',
  'provider_cost',
  'provider_goodwill',
  'provider_correction',
  'reward',
  'sweep',
  'to_cold',
  'top_up',
  'top_up_arrived',
  'top_up_lost',
] as const
export type OwnKind = (typeof OWN_KINDS)[number]

/**
 * Accounts of our own, the same as in ledger.own_account. Their sums are read from the movements; there is
 * no row that all would lock.
 */
export const OWN_ACCOUNTS = [
  'escrow:orders',
  'income:energy',
  'income:fees',
  /** What votes of our stakes earn. */
  'income:rewards',
  'cost:goodwill',
  'cost:network',
  /** Commissions for clients whom others brought. */
  'cost:referrals',
  'asset:deposit_addresses',
  'asset:hot',
  /** TRX on the accounts that we stake from. */
  'asset:staked',
  /** TRX that the treasury has sent to the cold address: ours, and covers nobody. */
  'asset:cold',
  /** Sent to marketplaces that have not shown them yet. */
  'asset:top_ups',
  'equity:operator',
] as const
export type OwnAccount =
  | (typeof OWN_ACCOUNTS)[number]
  /** What a marketplace was paid for Energy, and what of ours it holds for that; opened by `openProviders`. */
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
