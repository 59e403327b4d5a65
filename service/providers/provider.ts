import type { HexAddress } from '@ergon/tron'
import type { BlockFacts, OrphanedBlock } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import type { Terms } from './marketplace.ts'

/** Own Energy: delegated by transactions that we build, sign and broadcast. */
export type Provider = {
  name: string
  /** What it can sell now; rejects when it cannot be reached. */
  readOffer(): Promise<Terms>
  /**
   * Runs in the transaction that writes the attempts, and stores everything needed before sending.
   * Nothing leaves the service here. Answers are in the order of the parts.
   */
  prepare(tx: Tx, parts: readonly PartToPlace[], how?: How): Promise<Prepared[]>
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
}

export type PartToPlace = { receiver: HexAddress; energy: bigint }

/** Scripted faults of the sandbox: `silent` sends nothing; `half` delegates half. */
export type How = { silent?: boolean; half?: boolean }

/** One transaction towards a part. A txid is known beforehand only where we make it ourselves. */
export type Piece = {
  txid: string
  signingRequest: string
  expiresAt: Date
  stake: bigint
  owner: HexAddress
  /** Its share of the part; all shares together are the part. */
  share: bigint
  /** Energy of this transaction; less than its share only with the fault `half`. */
  energy: bigint
}

export type Prepared =
  /** Several pieces where no single stake can carry the part. */
  | { state: 'prepared'; pieces: Piece[] }
  /** `room`: the provider works, but has only this much Energy now. */
  | { state: 'refused'; reason: string; room?: bigint }
  /** No transaction can be built now: the part stays open and is tried again. */
  | { state: 'later'; reason: string }

/** Nothing is wrong that a retry could mend: the operator has something to do first. */
export class NothingToOffer extends Error {
  override name = 'NothingToOffer'
}

/** What a provider sells now, as a plan sees it. */
export type Offer = {
  provider: string
  unitPrice: bigint
  capacity: bigint
  minimum: bigint
  surchargeBelow: bigint
  surcharge: bigint
  /** Of ten thousand orders, how many it fills. */
  fillBps: bigint
}

/** A provider that could not be considered, and why. */
export type Absent = { provider: string; why: string }

/** Behaviours of a provider in the sandbox. */
export type Behaviour =
  | 'ok'
  | 'fail'
  | 'timeout_after_accept'
  | 'timeout_before_accept'
  | 'lost_delegation'
  | 'partial'
  | 'late'
  | 'taken_back'
  | 'down'

/** A change of a provider by the sandbox. */
export type ProviderChange = {
  behaviour?: Behaviour | undefined
  unitPrice?: bigint | undefined
  capacity?: bigint | undefined
  delayMs?: number | undefined
}
