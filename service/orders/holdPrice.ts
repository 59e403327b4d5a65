import { type Refusal, refuse } from '@ergon/contract'
import { type Db, isTimeout } from '../db/index.ts'
import { createTurns, isUuid, type Runtime, type Sun, sun } from '../kernel/index.ts'
import { accountBlocked, type Ledger } from '../ledger/index.ts'
import { findQuote, type HeldRow, holdPrice } from './holdPrice.sql.ts'
import {
  accountLocked,
  type BoundsDeps,
  boundsOf,
  boundsRefusal,
  type QuoteDeps,
  quoteRefusal,
  sellingOff,
} from './quote.ts'

/** A price that a purchase of exactly this amount gets until `expiresAt`. */
export type HeldPrice = { id: string; amount: bigint; price: Sun; expiresAt: Date }

export type HoldPrice = (account: string, amount: bigint) => Promise<HeldPrice | Refusal>

type Deps = QuoteDeps & BoundsDeps & { db: Db; runtime: Runtime; ledger: Ledger }

const HELD_MS = 60_000
const OPEN_MAX = 20
/** Quotes that ended without a purchase, within an hour. */
const LAPSED_MAX = 10
/** Of one client: each may wait on a connection. */
const HELD_AT_ONCE = 2

const REASONS = {
  too_many: `You have ${OPEN_MAX} open quotes.`,
  too_much: 'Your open quotes and this one are more Energy than the largest order.',
  too_often: `${LAPSED_MAX} of your quotes ended without a purchase within an hour.`,
} satisfies Record<Exclude<HeldRow['outcome'], 'held' | 'blocked'>, string>

const UNKNOWN = 'There is no such quote on this account.'

/**
 * Holds the retail price of an amount. No Energy is reserved: whether it can be delivered at that price is
 * judged again by the purchase.
 */
export function createHoldPrice(deps: Deps, isSelling: () => Promise<boolean>): HoldPrice {
  const { db, runtime, ledger, pricing } = deps
  const turns = createTurns(HELD_AT_ONCE)
  return async (account, amount) => {
    const bounds = boundsRefusal(deps, account, amount)
    if (bounds) return bounds
    if (!(await isSelling())) return sellingOff()
    const price = pricing.priceFor(account, amount)
    const refusal = quoteRefusal(deps, amount, price)
    if (refusal) return refusal
    const id = runtime.ids.next()
    const now = runtime.clock.now()
    const expiresAt = new Date(now.getTime() + HELD_MS)
    const { maxAmount } = boundsOf(deps, account)
    const values = [id, account, amount, price, now, expiresAt, OPEN_MAX, maxAmount, LAPSED_MAX]
    const rows = await turns(account, () => db.query(holdPrice, values)).catch((error) => {
      if (isTimeout(error)) return undefined
      throw error
    })
    if (!rows) return accountLocked()
    const { outcome } = rows[0]!
    if (outcome === 'blocked')
      return accountBlocked((await ledger.blocks.of(account))?.reason ?? '')
    if (outcome === 'held') return { id, amount, price, expiresAt }
    return refuse('quote_limit', { message: `${REASONS[outcome]} Redeem one, or wait.` })
  }
}

/**
 * The price of a purchase that names a quote, or why the quote cannot be redeemed. The transaction of the purchase
 * judges it again, under its lock.
 */
export async function heldPriceOf(
  { db, runtime }: Pick<Deps, 'db' | 'runtime'>,
  account: string,
  { id, amount }: { id: string; amount: bigint },
): Promise<Sun | Refusal> {
  const [quote] = isUuid(id) ? await db.query(findQuote, [id, account]) : []
  if (!quote) return quoteInvalid(UNKNOWN)
  if (quote.amount !== amount) return quoteInvalid(`The quote is for ${quote.amount} Energy.`)
  if (quote.isRedeemed) return quoteInvalid('The quote was redeemed by another order.')
  if (quote.expiresAt <= runtime.clock.now()) return quoteInvalid('The quote has expired.')
  return sun(quote.price)
}

/** Another purchase redeemed it first, or it ended since it was looked at. */
export function quoteGone(): Refusal {
  return quoteInvalid('The quote was redeemed by another order, or has expired.')
}

function quoteInvalid(reason: string): Refusal {
  const next = 'Nothing was charged. Ask for a new quote, or buy without one at the price of now.'
  return refuse('quote_invalid', { message: `${reason} ${next}` })
}
