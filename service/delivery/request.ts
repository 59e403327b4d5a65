import type { Tx } from '../db/index.ts'

/** Energy wanted on an address. */
export type DeliveryRequest = {
  id: string
  /** Base58. */
  receiver: string
  energy: bigint
  durationSeconds: bigint
  deadlineAt: Date
  trace: string
}

export type Outcome =
  | { id: string; state: 'delivered'; txids: string[] }
  | { id: string; state: 'failed'; reason: string }

/** Runs in the transaction that ends requests, after their rows are locked. It locks the ledger last. */
export type OnOutcome = (tx: Tx, outcomes: readonly Outcome[]) => Promise<void>

/** Texts for the client; the caller's room adds what happened to the money. */
export const REASONS = {
  refused: 'No provider could take the order.',
  late: 'The Energy was not delivered in time.',
  lost: 'The delegation did not reach the chain.',
} as const
