import { type Refusal, refuse } from '@ergon/contract'
import { type Claim, createApart, isTimeout, type Tx } from '../db/index.ts'
import { createTurns, type Sun, sun } from '../kernel/index.ts'
import { accountBlocked } from '../ledger/index.ts'
import type { Announce } from './announce.ts'
import { type BuyDeps, type Buyer, describePurchase, refusalFor, type Wish } from './buy.ts'
import {
  closeCheckouts,
  endWaiting,
  findCheckout,
  lockPayable,
  lockUnpaid,
  openCheckout,
  type PayableRow,
  payCheckouts,
  waitForDeposit,
} from './checkout.sql.ts'
import type { Order } from './order.ts'
import { LINKED_WALLET } from './purchaseGroup.ts'
import { accountLocked, sellingOff } from './quote.ts'
import { failOrders } from './store.ts'

/** An order that is paid by a transfer of this exact amount before `expiresAt`. */
export type Checkout = { order: Order; amount: Sun; expiresAt: Date }

/** A deposit: credited just now, waiting for its block to be final, or gone for good. */
type DepositNews = {
  account: string
  amount: bigint
  reference: string
  state: 'credited' | 'waiting' | 'gone'
}

/** How long the price is held. */
const HELD_MS = 30 * 60_000
/** Far fewer than the 999 amounts for one price, so an amount is always free. */
const OPEN_MAX = 50
const EXTRAS = 999
/** Of one client: each may wait for its account on a connection. */
const OPENED_AT_ONCE = 2
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
  const { db, runtime, log } = deps
  const turns = createTurns(OPENED_AT_ONCE)
  const of = { loop: 'orders.expireCheckouts', kind: 'order' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function find(account: string, id: string): Promise<Checkout | undefined> {
    const [order, [row]] = await Promise.all([
      orders.find(account, id),
      db.query(findCheckout, [id]),
    ])
    return order && row && { order, amount: sun(row.amount), expiresAt: row.expiresAt }
  }

  /** Refuses what a purchase would refuse now, except for the balance, which the transfer will pay. */
  async function open(buyer: Buyer, wish: Wish): Promise<Checkout | Refusal> {
    const { account, trace } = buyer
    const { amount, receiver } = wish
    const price = deps.pricing.priceFor(account, amount)
    const refusal = await refusalFor(deps, { account, wish, price })
    if (refusal) return refusal
    const id = runtime.ids.next()
    const now = runtime.clock.now()
    const until = new Date(now.getTime() + HELD_MS)
    const firstExtra = Math.floor(runtime.random.fraction() * EXTRAS)
    const order = [id, account, amount, receiver, LINKED_WALLET, price, trace, now]
    const values = [...order, until, firstExtra, OPEN_MAX]
    const opened = await turns(account, () => db.query(openCheckout, values)).catch((error) => {
      if (isTimeout(error)) return undefined
      throw error
    })
    if (!opened) return accountLocked()
    switch (opened[0]!.outcome) {
      case 'selling_off':
        return sellingOff()
      case 'blocked':
        return accountBlocked((await deps.ledger.blocks.of(account))?.reason ?? '')
      case 'too_many':
        return refuse('validation_error', { message: TOO_MANY })
      case 'opened':
        return (await find(account, id))!
    }
  }

  /**
   * Participant of deposits. It locks all orders before the ledger is locked, and returns a function
   * that makes the purchases once the credit is posted. A deposit that is not final yet keeps its
   * checkout open, which is then sold at the price shown.
   */
  async function onDeposits(
    tx: Tx,
    news: readonly DepositNews[],
    minedAt: Date | null,
  ): Promise<() => Promise<void>> {
    const references = news.map(({ reference }) => reference)
    const accounts = news.map(({ account }) => account)
    const amounts = news.map(({ amount }) => amount)
    const payable = await tx.query(lockPayable, [accounts, amounts, minedAt, references])
    if (payable.length === 0) return async () => {}
    const waiting = paidBy(news, 'waiting')
    for (const order of payable) {
      for (const { reference } of waiting(order)) {
        await tx.query(waitForDeposit, [order.id, reference])
      }
    }
    const credited = paidBy(news, 'credited')
    // Nothing is sold while the scanner is behind or the books are not proven: it stays a deposit.
    const { lag } = deps.chain
    const isBehind = minedAt ? lag.behindAt(minedAt) : lag.behind()
    const due =
      isBehind || deps.unproven() ? [] : payable.filter((order) => credited(order).length > 0)
    return async () => {
      await buy(tx, due)
      // A deposit that did not buy stays on the balance, and its order stops waiting for it.
      const over = news.filter(({ state }) => state !== 'waiting').map((one) => one.reference)
      await tx.query(endWaiting, [payable.map(({ id }) => id), over])
    }
  }

  async function buy(tx: Tx, payable: readonly PayableRow[]): Promise<void> {
    if (payable.length === 0) return
    const ids = payable.map(({ id }) => id)
    const descriptions = payable.map(({ amount, receiver }) => describePurchase(amount, receiver))
    const fresh = () => payable.map(() => runtime.ids.next())
    const now = runtime.clock.now()
    await tx.query(payCheckouts, [ids, descriptions, now, fresh(), fresh(), fresh()])
  }

  /**
   * Ends checkouts that can no longer be paid: solid time is past their end, so every transfer mined in
   * time is known, and none of them waits to be final. There was no purchase, so nothing is refunded.
   */
  async function expire(): Promise<string[]> {
    const solidTime = (await deps.chain.progress())?.solidTime
    if (!solidTime) return []
    return (await apart.claim(BATCH, (claim) => expireUpTo(solidTime, claim))).flat()
  }

  const expireUpTo = (solidTime: Date, { most, skip, took }: Claim): Promise<string[]> =>
    db.transaction(async (tx) => {
      const unpaid = await tx.query(lockUnpaid, [solidTime, most, skip])
      if (unpaid.length === 0) return []
      const ids = unpaid.map(({ id }) => id)
      took(ids)
      await tx.query(failOrders, [ids, ids.map(() => NOT_PAID), runtime.clock.now()])
      const end = { status: 'FAILED' as const, error: NOT_PAID }
      await orders.announce(
        tx,
        unpaid.map((order) => ({ order, ...end })),
      )
      await tx.query(closeCheckouts, [ids])
      return unpaid.map(({ account }) => account)
    })

  return { open, find, onDeposits, expire }
}

/** The deposits in this state whose amount matches a checkout exactly, in order of arrival. */
function paidBy(news: readonly DepositNews[], state: DepositNews['state']) {
  const those = news.filter((one) => one.state === state)
  return ({ account, due }: PayableRow) =>
    those.filter((one) => one.account === account && one.amount === due)
}
