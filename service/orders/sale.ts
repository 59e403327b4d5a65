import type { Tx } from '../db/index.ts'
import { assert, type Sun } from '../kernel/index.ts'
import { type BuyDeps, describePurchase } from './buy.ts'
import { chargeOf, type OrderSource } from './order.ts'
import { quoteRefusal } from './quote.ts'
import { sellOne } from './sale.sql.ts'

/** A purchase that another room makes for a client, in that room's transaction. */
export type Sale = {
  account: string
  receiver: string
  /** Address shown as the buyer. */
  buyer: string
  amount: bigint
  price: Sun
  source: OrderSource
  trace: string
}

export type Sold =
  | { outcome: 'sold'; order: string }
  | { outcome: 'selling_off' }
  | { outcome: 'blocked' }
  | { outcome: 'insufficient' }

export type Sales = {
  /** Whether this amount could be delivered at this price and the scanner is up to date. From memory. */
  canSell(amount: bigint, price: Sun): boolean
  /** Locks the ledger account: nothing may be locked after it. */
  sell(tx: Tx, sale: Sale): Promise<Sold>
  /** Call after the commit of sales: their orders start at once. */
  sold(amounts: readonly bigint[]): void
}

export function createSales(deps: BuyDeps, wake: () => void): Sales {
  const { runtime } = deps
  return {
    canSell(amount, price) {
      const { minAmount, maxAmount } = deps.pricing.terms()
      if (amount < minAmount || amount > maxAmount) return false
      return quoteRefusal(deps, amount, price) === undefined
    },
    async sell(tx, { account, receiver, buyer, amount, price, source, trace }) {
      const order = runtime.ids.next()
      const what = [order, account, amount, receiver, buyer, price, source, chargeOf(source)]
      const fresh = () => runtime.ids.next()
      const written = [runtime.clock.now(), trace, describePurchase(amount, receiver)]
      const [row] = await tx.query(sellOne, [...what, ...written, fresh(), fresh(), fresh()])
      assert(row, 'a sale got no outcome')
      return row.outcome === 'sold' ? { outcome: 'sold', order } : { outcome: row.outcome }
    },
    sold(amounts) {
      for (const amount of amounts) deps.delivery.takeOff(amount)?.keep()
      if (amounts.length > 0) wake()
    },
  }
}
