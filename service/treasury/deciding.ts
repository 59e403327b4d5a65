import type { Db } from '../db/index.ts'
import { formatTrx, isUuid, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { ARRIVES_WITHIN_MS, bookCredit } from './following.ts'
import type { Refused, Said } from './settings.ts'
import { decideTransfer, findTransfer, lockTransfer, type TransferRow } from './store.ts'

/** What a person says of a top-up that is missing. `credited`: less arrived than was sent, such as after a fee of the marketplace. */
export type Decision = { as: 'arrived'; credited?: bigint } | { as: 'lost' } | { as: 'wait' }

export function createDeciding(deps: { db: Db; runtime: Runtime; ledger: Ledger }) {
  const { db, runtime, ledger } = deps

  return async function decide(
    id: string,
    decision: Decision,
    { who, why }: Said,
  ): Promise<TransferRow | Refused> {
    if (!isUuid(id)) return { refused: 'There is no transfer with this id.' }
    const refused = await db.transaction(async (tx) => {
      const [row] = await tx.query(lockTransfer, [id])
      if (!row) return 'There is no transfer with this id.'
      if (row.state !== 'missing' || row.provider === null) {
        return `It is ${row.state}: only a missing top-up is decided.`
      }
      const { provider, txid, amount } = row
      const credited = decision.as === 'arrived' ? (decision.credited ?? amount) : 0n
      if (decision.as === 'arrived' && (credited <= 0n || credited > amount)) {
        return `What was credited is above zero and at most ${formatTrx(amount)} TRX.`
      }
      const now = runtime.clock.now()
      const isWaiting = decision.as === 'wait'
      const state = isWaiting ? 'solid' : decision.as
      const due = isWaiting ? new Date(now.getTime() + ARRIVES_WITHIN_MS) : null
      const values = [id, state, isWaiting ? null : credited, due, who, now, why]
      await tx.query(decideTransfer, values)
      if (!isWaiting) await bookCredit(tx, ledger, { provider, txid, amount }, credited)
      return undefined
    })
    return refused ? { refused } : (await db.query(findTransfer, [id]))[0]!
  }
}
