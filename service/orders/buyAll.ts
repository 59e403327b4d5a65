import { type Db, isTimeout } from '../db/index.ts'
import { type Clock, createTurns, type Ids } from '../kernel/index.ts'
import { type BuyRow, buyAll } from './purchaseGroup.sql.ts'
import { type Bought, columnsOf, type Purchase, valuesOf } from './purchaseGroup.ts'

/**
 * Makes all of these purchases of one account, or none, in one transaction; the outcomes are in their order.
 * Rejects when the outcome is unknown.
 */
export type BuyAll = (purchases: readonly Purchase[]) => Promise<BuyRow[]>

/** Of one client: each may wait for its account on a connection. */
const AT_ONCE = 2

export function createBuyAll(deps: {
  db: Db
  clock: Clock
  ids: Ids
  onAccepted(): void
  onBought?: ((bought: Bought) => void) | undefined
}): BuyAll {
  const { db, clock, ids, onAccepted, onBought } = deps
  const turns = createTurns(AT_ONCE)
  return async (purchases) => {
    const startMs = clock.now().getTime()
    const columns = columnsOf(purchases.map((one) => ({ values: valuesOf(one, ids) })))
    const quotes = purchases.map(({ quote }) => quote ?? null)
    const asked = turns(purchases[0]!.account, () => db.query(buyAll, [quotes, ...columns]))
    const rows = await asked.catch((error): BuyRow[] => {
      if (!isTimeout(error)) throw error
      return purchases.map(() => ({ outcome: 'locked', response: null, balance: null }))
    })
    if (!rows.every(({ outcome }) => outcome === 'accepted')) return rows
    onAccepted()
    const endMs = clock.now().getTime()
    const together = purchases.length
    for (const { id: order, trace } of purchases) {
      onBought?.({ order, trace, startMs, endMs, together })
    }
    return rows
  }
}
