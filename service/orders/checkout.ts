import { type Refusal, refuse } from '@ergon/contract'
import type { Tx } from '../db/index.ts'
import { type Sun, sun } from '../kernel/index.ts'
import type { Announce } from './announce.ts'
import { type BuyDeps, type Buyer, describePurchase, refusalFor, type Wish } from './buy.ts'
import type { Order } from './order.ts'
import { sellingOff } from './quote.ts'
import {
  closeCheckouts,
  failOrders,
  findCheckout,
  lockPayable,
  lockUnpaid,
  openCheckout,
  payCheckouts,
} from './store.ts'

/** An order that is paid by a transfer: how much exactly, and until when it counts. */
export type Checkout = { order: Order; amount: Sun; expiresAt: Date }

/** TRX that has just been credited, and the time of the block that brought it. */
type Credit = { account: string; amount: bigint; minedAt: Date }

/** How long the price is held. */
const HELD_MS = 30 * 60_000
/** Far fewer than the 999 amounts there are for one price, so there is always a free one. */
const OPEN_MAX = 50
const EXTRAS = 999
const BATCH = 100
const TOO_MANY = `You have ${OPEN_MAX} unpaid checkouts. Pay one, or wait until one expires.`
const NOT_PAID = 'The order was not paid in time. Nothing was charged.'

export type Checkouts = ReturnType<typeof createCheckouts>

export function createCheckouts(
  deps: BuyDeps,
  orders: {
    announce: Announce
    find(account: string, id: string): Promise<Order | undefined>
  },
) {
  const { db, doors } = deps

  async function find(account: string, id: string): Promise<Checkout | undefined> {
    const [order, [row]] = await Promise.all([
      orders.find(account, id),
      db.query(findCheckout, [id]),
    ])
    return order && row && { order, amount: sun(row.amount), expiresAt: row.expiresAt }
  }

  /** Refuses what a purchase would refuse now, except for the balance: that is yet to come. */
  async function open(buyer: Buyer, wish: Wish): Promise<Checkout | Refusal> {
    const { account, trace } = buyer
    const { amount, receiver } = wish
    const price = deps.pricing.priceFor(account, amount)
    const refusal = await refusalFor(deps, wish, price)
    if (refusal) return refusal
    const id = doors.ids.next()
    const now = doors.clock.now()
    const until = new Date(now.getTime() + HELD_MS)
    const wallet = await deps.walletOf(account)
    const firstExtra = Math.floor(doors.random.fraction() * EXTRAS)
    const order = [id, account, amount, receiver, wallet, price, trace, now]
    const [opened] = await db.query(openCheckout, [...order, until, firstExtra, OPEN_MAX])
    switch (opened!.outcome) {
      case 'selling_off':
        return sellingOff()
      case 'too_many':
        return refuse('validation_error', { message: TOO_MANY })
      case 'opened':
        return (await find(account, id))!
    }
  }

  /**
   * Participant of deposits, in the block's transaction. The orders are locked here, before the
   * ledger is; the purchase itself is made by the function it returns, once the credit is posted.
   */
  async function onCredit(tx: Tx, credits: readonly Credit[]): Promise<() => Promise<void>> {
    const [first] = credits
    if (!first) return async () => {}
    const accounts = credits.map(({ account }) => account)
    const amounts = credits.map(({ amount }) => amount)
    const payable = await tx.query(lockPayable, [accounts, amounts, first.minedAt])
    return async () => {
      if (payable.length === 0) return
      const ids = payable.map(({ id }) => id)
      const descriptions = payable.map(({ amount, receiver }) => describePurchase(amount, receiver))
      const fresh = () => payable.map(() => doors.ids.next())
      const now = doors.clock.now()
      await tx.query(payCheckouts, [ids, descriptions, now, fresh(), fresh(), fresh()])
    }
  }

  /**
   * Ends checkouts that can no longer be paid: solid time is past their end, so no block that was
   * mined in time is still to come. There was no purchase, so there is nothing to refund.
   */
  async function expire(): Promise<string[]> {
    const solidTime = (await deps.chain.progress())?.solidTime
    if (!solidTime) return []
    return db.transaction(async (tx) => {
      const unpaid = await tx.query(lockUnpaid, [solidTime, BATCH])
      if (unpaid.length === 0) return []
      const ids = unpaid.map(({ id }) => id)
      await tx.query(failOrders, [ids, ids.map(() => NOT_PAID), doors.clock.now()])
      const end = { status: 'FAILED' as const, error: NOT_PAID }
      await orders.announce(
        tx,
        unpaid.map((order) => ({ order, ...end })),
      )
      await tx.query(closeCheckouts, [ids])
      return unpaid.map(({ account }) => account)
    })
  }

  return { open, find, onCredit, expire }
}
