import type { HexAddress } from '@ergon/tron'

/**
 * A marketplace that delegates for us over HTTP. Its answers never throw: every answer, and a missing
 * answer, is a value, because a lost answer is not a refusal.
 */
export type Marketplace = {
  name: string
  /** Its current offer; rejects when it cannot be reached or the answer is invalid. */
  readOffer(): Promise<Terms>
  /** Called once per attempt, after the attempt is committed. Never again for the same attempt. */
  place(order: MarketOrder): Promise<Placed>
  /** Looks up the state of an attempt, by our reference or by its order id. */
  lookUp(order: LostOrder): Promise<Seen>
  /** A page of what it charged, newest first; rejects when it cannot be reached or read. Absent: its API has no list. */
  readStatement?(page: string | null): Promise<StatementPage>
  /** Our prepaid balance there, in SUN; rejects likewise. Absent: its API tells none. */
  readBalance?(): Promise<bigint>
  /** Ends an order early, where the marketplace can; best effort. */
  reclaim?(orderId: string): Promise<void>
  /** How long after our call's end an order it has "never seen" may still appear there. */
  queueMs: number
  /** Our own limit on calls, below the one it publishes. */
  callsPerSecond: number
  /** Most calls for an offer, an order and a search by our reference; default one. */
  calls?: { offer?: number; order?: number; search?: number }
}

/** Energy for an hour. `minimum` and `capacity` bound one order; below `below`, `surcharge` is added. */
export type Terms = {
  /** SUN per Energy, rounded up. */
  unitPrice: bigint
  capacity: bigint
  minimum: bigint
  surcharge?: { below: bigint; amount: bigint }
  /** Our prepaid balance there. */
  float?: bigint
}

export type MarketOrder = {
  /** Our attempt's id, sent wherever the marketplace takes a reference of ours. */
  reference: string
  receiver: HexAddress
  energy: bigint
  /** The planned unit price; an order above it must be refused. */
  unitPrice: bigint
  /** Wall time at which the attempt was written, to match orders in a list. */
  writtenAt: Date
}

export type LostOrder = MarketOrder & {
  orderId: string | null
  /** Order ids that belong to other attempts of ours; a match by listing skips them. */
  claimed?: readonly string[]
  /** False: the order has ended, so a look-up that might buy is not made. */
  wanted?: boolean
}

export type Placed =
  | { state: 'accepted'; orderId: string; cost?: bigint; txids: string[] }
  /** Certain: no order exists and nothing was charged. */
  | { state: 'refused'; reason: string }
  | { state: 'unknown'; reason: string }

export type Seen =
  | { state: 'pending'; orderId: string }
  /** Reported with transaction ids; only the chain proves it. */
  | { state: 'delivered'; orderId: string; txids: string[]; cost?: bigint }
  /** Ended, and no more Energy is coming; `txids` holds what was delegated. */
  | { state: 'failed'; orderId: string; txids: string[]; reason: string }
  /** No order under our reference. Not proof before `queueMs` have passed. */
  | { state: 'never_seen' }
  /** Several orders match and none carries our reference: an operator has to decide. */
  | { state: 'ambiguous'; orderIds: string[] }
  | { state: 'unknown'; reason: string }

/** `oldest`: of the page, also where nothing on it was charged; `next`: null on the last page. */
export type StatementPage = { charges: Charge[]; oldest: Date | null; next: string | null }

/** What a marketplace says that it charged, or gave back (negative), in SUN. */
export type Charge = {
  /** Its own id of this entry; the same entry on two pages has one. */
  entryId: string
  orderId: string
  /** Ours, where it keeps it. */
  reference?: string
  amount: bigint
  at: Date
  /** Where it keeps no reference, these and the time say whose order it may be. */
  receiver?: HexAddress
  energy?: bigint
}
