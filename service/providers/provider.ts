import type { HexAddress } from '@ergon/tron'
import type { BlockFacts, OrphanedBlock } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import type { Terms } from './marketplace.ts'

/** Energy of our own: made by a transaction that we build, have signed and broadcast ourselves. */
export type Provider = {
  name: string
  /** What it can sell now; rejects when it cannot be reached. */
  readOffer(): Promise<Terms>
  /**
   * Inside the transaction that writes the attempts: makes durable whatever must be known before
   * anything is sent. Nothing leaves the service here. Answers in the order given.
   */
  prepare(tx: Tx, parts: readonly PartToPlace[], how?: How): Promise<Prepared[]>
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
}

export type PartToPlace = { receiver: HexAddress; energy: bigint }

/** As the sandbox wants it: `silent`: nothing ever leaves; `half`: half of it does. */
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
  /** What this transaction delegates; less than its share only when it is told to. */
  energy: bigint
}

export type Prepared =
  /** Several pieces where no single stake can carry the part. */
  | { state: 'prepared'; pieces: Piece[] }
  /** `room`: nothing is wrong with it, it only has no more than this at once. */
  | { state: 'refused'; reason: string; room?: bigint }
  /** Nothing can be built now: the part stays as it is and is asked for again. */
  | { state: 'later'; reason: string }

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

/** Words of the sandbox for how a provider behaves. */
export type Behaviour =
  | 'ok'
  | 'fail'
  | 'timeout_after_accept'
  | 'timeout_before_accept'
  | 'lost_delegation'
  | 'partial'
  | 'late'
  | 'down'

/** What the sandbox may tell a provider to do from now on. */
export type ProviderChange = {
  behaviour?: Behaviour | undefined
  unitPrice?: bigint | undefined
  capacity?: bigint | undefined
  delayMs?: number | undefined
}
