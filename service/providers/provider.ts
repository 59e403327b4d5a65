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
   * Inside the transaction that writes the attempt: makes durable whatever must be known before
   * anything is sent. Nothing leaves the house here. `silent`: nothing ever will, as the sandbox
   * wants it of a provider that does not answer.
   */
  prepare(tx: Tx, part: PartToPlace, how?: { silent: boolean }): Promise<Prepared>
  onBlock(tx: Tx, block: BlockFacts): Promise<void>
  onOrphan(tx: Tx, block: OrphanedBlock): Promise<void>
}

export type PartToPlace = { attempt: string; receiver: HexAddress; energy: bigint }

/** A txid is known beforehand only where we make the transaction ourselves. */
export type Prepared =
  | {
      state: 'prepared'
      txid: string
      signingRequest: string
      expiresAt: Date
      stake: bigint
      owner: HexAddress
      /** What this transaction delegates; less than asked for only when it is told to. */
      energy: bigint
    }
  /** `room`: nothing is wrong with it, it only has no more than this at once. */
  | { state: 'refused'; reason: string; room?: bigint }

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
