import type { Db, Tx } from '../../db/index.ts'
import {
  type ApproverRow,
  approversOf,
  insertCancellation,
  putApproval,
  readPayoutLimit,
  recordedCancellations,
  type SignedRow,
  signedOf,
} from './store.ts'

export type Approval = { key: string; ends: Date; signature: string }
export type PayoutAttempt = { id: string; attempt: number }

/** Passes approvals and cancellations of payouts to the signer, which verifies them. */
export type PayoutMail = {
  approve(
    tx: Tx,
    of: PayoutAttempt,
    given: { approval: Approval; by: string; at: Date },
  ): Promise<void>
  /** Approvals of these attempts, in order of arrival. */
  approvers(of: readonly PayoutAttempt[]): Promise<ApproverRow[]>
  /** Attempts that the signer has signed, in order. */
  signed(payouts: readonly string[]): Promise<SignedRow[]>
  cancel(tx: Tx, payout: string, at: Date): Promise<void>
  /** Payouts whose cancellation is in the signer's file: it signs no further attempt. */
  cancelled(payouts: readonly string[]): Promise<Set<string>>
  /** The largest payout that the signer ever signs; undefined before a signer has said. */
  limit(tx: Tx): Promise<bigint | undefined>
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
    limit: async (tx) => (await tx.query(readPayoutLimit))[0]?.limit,
  }
}
