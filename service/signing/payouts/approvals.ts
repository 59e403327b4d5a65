import type { Db, Tx } from '../../db/index.ts'
import {
  type ApproverRow,
  approversOf,
  insertCancellation,
  putApproval,
  recordedCancellations,
  type SignedRow,
  signedOf,
} from './store.ts'

export type Approval = { key: string; ends: Date; signature: string }
export type PayoutAttempt = { id: string; attempt: number }

/** What is carried to the signer about payouts. Nothing here decides: the signer verifies it all. */
export type PayoutMail = {
  approve(
    tx: Tx,
    of: PayoutAttempt,
    given: { approval: Approval; by: string; at: Date },
  ): Promise<void>
  /** Of the attempts named, in the order in which they came. */
  approvers(of: readonly PayoutAttempt[]): Promise<ApproverRow[]>
  /** What the signer has signed of them, first attempts first. */
  signed(payouts: readonly string[]): Promise<SignedRow[]>
  cancel(tx: Tx, payout: string, at: Date): Promise<void>
  /** Those that the signer keeps in its file: no further attempt of them is ever signed. */
  cancelled(payouts: readonly string[]): Promise<Set<string>>
}

export function createPayoutMail(db: Db): PayoutMail {
  return {
    async approve(tx, { id, attempt }, { approval, by, at }) {
      const { key, ends, signature } = approval
      await tx.query(putApproval, [id, attempt, key, by, ends, signature, at])
    },
    approvers: (of) =>
      db.query(approversOf, [of.map(({ id }) => id), of.map(({ attempt }) => attempt)]),
    signed: (payouts) => db.query(signedOf, [payouts]),
    async cancel(tx, payout, at) {
      await tx.query(insertCancellation, [payout, at])
    },
    async cancelled(payouts) {
      if (payouts.length === 0) return new Set()
      const rows = await db.query(recordedCancellations, [payouts])
      return new Set(rows.map(({ payout }) => payout))
    },
  }
}
