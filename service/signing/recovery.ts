import type { Db, Tx } from '../db/index.ts'
import { countOutflows } from './outflows.sql.ts'
import { bookOutflows, outflowsToBook, type ToBookRow } from './recovery.sql.ts'

/** What recovery made of a finding. */
export type Booked = { txid: string; as: string; payout?: { id: string; attempt: number } }

/** Findings on their way into the books. Only the signer's machine ends a recovery. */
export type Recovery = {
  /** Why nothing is signed and nothing sold; undefined while every transaction of our keys has its row. */
  reason(): Promise<string | undefined>
  /** Findings in blocks up to this one that nothing was made of, after the given one. */
  toBook(solid: number, after: { block: bigint; txid: string }, limit: number): Promise<ToBookRow[]>
  /** Records what was made of findings, in the transaction that books them. Returns the new ones. */
  book(tx: Tx, booked: readonly Booked[]): Promise<Set<string>>
}

export function createRecovery({ db }: { db: Db }): Recovery {
  return {
    async reason() {
      const { count } = (await db.query(countOutflows))[0]!
      if (count === 0n) return undefined
      const what =
        count === 1n ? 'a transaction of our keys has' : `${count} transactions of our keys have`
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
