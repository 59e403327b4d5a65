import type { HexAddress } from '@ergon/tron'

/**
 * A marketplace that delegates for us when asked over HTTP. Nothing here throws for what the other
 * side did: every answer, and the lack of one, is a value, because a lost answer is not a refusal.
 */
export type Marketplace = {
  name: string
  /** What it can sell now; rejects when it cannot be reached or makes no sense. */
  readOffer(): Promise<Terms>
  /** Called once per attempt, after the attempt is committed. Never again for the same attempt. */
  place(order: MarketOrder): Promise<Placed>
  /** Establishes what became of an attempt, by our reference or by its own order id. */
  lookUp(order: LostOrder): Promise<Seen>
  /** Gives an order back early, where the marketplace can; it is only ever a courtesy. */
  reclaim?(orderId: string): Promise<void>
  /** How long after our call's end an order it has "never seen" may still appear there. */
  queueMs: number
  /** Our own limit on calls, below the one it publishes. */
  callsPerSecond: number
  /** How many calls it takes at most to read the offer, to place an order, to find one by our reference; else one. */
  calls?: { offer?: number; order?: number; search?: number }
}

/** Energy for an hour. `minimum` and `capacity` bound one order; below `below`, `surcharge` is added. */
export type Terms = {
  /** SUN per Energy, rounded up. */
  unitPrice: bigint
  capacity: bigint
  minimum: bigint
  surcharge?: { below: bigint; amount: bigint }
  /** What of ours it holds: the balance that orders are paid from. */
  float?: bigint
}

export type MarketOrder = {
  /** Our attempt's id, sent wherever the marketplace takes a reference of ours. */
  reference: string
  receiver: HexAddress
  energy: bigint
  /** The unit price that was planned with; an order above it must be refused, not filled. */
  unitPrice: bigint
  /** Wall time at which the attempt was written, for marketplaces that can only be listed. */
  writtenAt: Date
}

export type LostOrder = MarketOrder & {
  orderId: string | null
  /** Its order ids that belong to other attempts of ours: a match by listing passes over them. */
  claimed?: readonly string[]
  /** False: the order behind this attempt is over, so a question that might buy is not asked. */
  wanted?: boolean
}

export type Placed =
  | { state: 'accepted'; orderId: string; cost?: bigint; txids: string[] }
  /** Certain: no order exists and nothing was charged. */
  | { state: 'refused'; reason: string }
  | { state: 'unknown'; reason: string }

export type Seen =
  | { state: 'pending'; orderId: string }
  /** Its word, with transaction ids; only the chain makes it true. */
  | { state: 'delivered'; orderId: string; txids: string[]; cost?: bigint }
  /** It has ended and no more is coming; what was delegated until then is in `txids`. */
  | { state: 'failed'; orderId: string; txids: string[]; reason: string }
  /** No order under our reference. Not proof before `queueMs` have passed. */
  | { state: 'never_seen' }
  /** Several orders fit and none carries our reference: a person has to decide. */
  | { state: 'ambiguous'; orderIds: string[] }
  | { state: 'unknown'; reason: string }
