import type { Db, Tx } from '../db/index.ts'
import { OUTFLOWS_LEFT } from './due.sql.ts'
import { bookOutflows, outflowsToBook, type ToBookRow } from './recovery.sql.ts'

/** What recovery made of a finding. */
export type Booked = { txid: string; as: string; payout?: { id: string; attempt: number } }

/** Findings on their way into the books. Only the signer's machine ends a recovery. */
export type Recovery = {
  /** SQL of the number of findings left. */
  left: string
  /** Why nothing is signed and nothing sold with so many left; undefined with none. */
  reason(left: bigint): string | undefined
  /** Findings in blocks up to this one that nothing was made of, after the given one. */
  toBook(solid: number, after: { block: bigint; txid: string }, limit: number): Promise<ToBookRow[]>
  /** Records what was made of findings, in the transaction that books them. Returns the new ones. */
  book(tx: Tx, booked: readonly Booked[]): Promise<Set<string>>
}

export function createRecovery({ db }: { db: Db }): Recovery {
  return {
    left: OUTFLOWS_LEFT,
    reason(left) {
      if (left === 0n) return undefined
      const what =
        left === 1n ? 'a transaction of our keys has' : `${left} transactions of our keys have`
      const remedy =
        "After a restore: npx ergon recover. If you have sent it, name it on the signer's machine: npx ergon signer on --seen TXID."
      return `In recovery: ${what} no row of ours. ${remedy}`
    },
    toBook: (solid, { block, txid }, limit) =>
      db.query(outflowsToBook, [solid, block, txid, limit]),
    async book(tx, booked) {
      if (booked.length === 0) return new Set()
      const rows = await tx.query(bookOutflows, [
        booked.map(({ txid }) => txid),
        booked.map(({ as }) => as),
        booked.map(({ payout }) => payout?.id ?? null),
        booked.map(({ payout }) => payout?.attempt ?? null),
      ])
      return new Set(rows.map(({ txid }) => txid))
    },
  }
}
