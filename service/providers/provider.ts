import type { HexAddress } from '@ergon/tron'
import type { Tx } from '../db/index.ts'

/** One place Energy can be had from. Each adapter is a folder of its own with the same files. */
export type Provider = {
  name: string
  /** What it can sell now; rejects when it cannot be reached. */
  readOffer(): Promise<{ unitPrice: bigint; capacity: bigint }>
  /**
   * Inside the transaction that writes the attempt: makes durable whatever must be known before
   * anything is sent. Nothing leaves the house here.
   */
  prepare(tx: Tx, part: PartToPlace): Promise<Prepared>
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
    }
  | { state: 'refused'; reason: string }

export type Offer = { provider: string; unitPrice: bigint; capacity: bigint }

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
