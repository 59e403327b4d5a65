import { isRefusal, type Refusal, refuse, Verbatim } from '@ergon/contract'
import type { Chain } from '../chain/index.ts'
import { type Db, wasNeverSent } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import { formatTrx, type Log, type Runtime, type Sun } from '../kernel/index.ts'
import { accountBlocked, type Ledger } from '../ledger/index.ts'
import type { Pricing } from '../pricing/index.ts'
import { findKey } from './buy.sql.ts'
import type { BuyAll } from './buyAll.ts'
import { heldPriceOf, quoteGone } from './holdPrice.ts'
import type { OrderSource } from './order.ts'
import type { BuyRow } from './purchaseGroup.sql.ts'
import type { Purchase, PurchaseGroup } from './purchaseGroup.ts'
import {
  accountLocked,
  type BoundsDeps,
  boundsRefusal,
  noOffer,
  quoteRefusal,
  sellingOff,
} from './quote.ts'
import type { ReceiverRefusal } from './receiver.ts'

/** A purchase request whose shape the contract has checked. */
export type Wish = {
  receiver: string
  amount: bigint
  resourceType: string
  duration: string
  maxPrice: Sun | undefined
  /** The quote whose price it wants; undefined: the price of now. */
  quote?: string | undefined
}

export type BuyDeps = {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  delivery: Delivery
  ledger: Ledger
  pricing: Pricing
  orderMaxOf: BoundsDeps['orderMaxOf']
  purchases: PurchaseGroup
  buyAll: BuyAll
  receiverRefusal: ReceiverRefusal
  /** Why the auditor wants nothing sold; undefined while the books are proven. */
  unproven(): string | undefined
}

export type Buyer = { account: string; trace: string; source: OrderSource; key: string | undefined }

/** Printable ASCII, not only spaces. */
const KEY = /^(?=.*\S)[\x20-\x7e]{1,128}$/

/** The answer to a purchase: that of its first request, or why it was refused. */
export type Answered = Verbatim | Refusal

export function createBuy(deps: BuyDeps, keys: KeysInFlight) {
  return async (buyer: Buyer, wish: Wish): Promise<Answered> => {
    const end = keys.begin(buyer)
    if (isRefusal(end)) return end
    try {
      return await answer(deps, buyer, await prepare(deps, buyer, wish))
    } finally {
      end()
    }
  }
}

export type KeysInFlight = ReturnType<typeof createKeysInFlight>

/** Keys that this process is buying now: a second request with the same key gets 409 without a query. */
export function createKeysInFlight() {
  const inFlight = new Set<string>()
  return {
    /** Refuses the key, or returns the function that ends its use. */
    begin({ account, key }: Buyer): (() => void) | Refusal {
      if (key === undefined) return () => {}
      if (!KEY.test(key)) return refuse('invalid_idempotency_key')
      const twin = `${account} ${key}`
      if (inFlight.has(twin)) return refuse('duplicate_request')
      inFlight.add(twin)
      return () => void inFlight.delete(twin)
    },
  }
}

/** `taken`: its Energy is subtracted from the offers, so that it is not sold twice. */
export type Prepared = {
  purchase: Purchase
  refusal: Refusal | undefined
  taken: ReturnType<Delivery['takeOff']>
}

/** Checks the refusals that need no database, in the order of the contract. */
export async function prepare(deps: BuyDeps, buyer: Buyer, wish: Wish): Promise<Prepared> {
  const { runtime, pricing } = deps
  const listed = pricing.priceFor(buyer.account, wish.amount)
  const { quote: id, amount } = wish
  const held = id === undefined ? listed : await heldPriceOf(deps, buyer.account, { id, amount })
  const early = await wishRefusal(deps, { account: buyer.account, wish, price: held })
  const price = isRefusal(held) ? listed : held
  // Nothing is awaited between these two: each purchase is compared with what those before it have left.
  const unsold = early ?? quoteRefusal(deps, amount, price)
  const taken = unsold ? undefined : deps.delivery.takeOff(amount)
  const refusal = unsold ?? (taken ? undefined : noOffer())
  const purchase = {
    id: runtime.ids.next(),
    account: buyer.account,
    key: buyer.key,
    quote: refusal ? undefined : wish.quote,
    refused: refusal !== undefined,
    amount: wish.amount,
    receiver: wish.receiver,
    price,
    priceTrx: formatTrx(price),
    source: buyer.source,
    at: runtime.clock.now(),
    trace: buyer.trace,
    description: describePurchase(wish.amount, wish.receiver),
  }
  return { purchase, refusal, taken }
}

/** The description of a purchase in the ledger. */
export function describePurchase(amount: bigint, receiver: string): string {
  return `${amount} Energy for ${receiver}`
}

/** The refusal that a purchase at this price would get now, except for the balance. From memory. */
export async function refusalFor(deps: BuyDeps, asked: Asked<Sun>): Promise<Refusal | undefined> {
  return (await wishRefusal(deps, asked)) ?? quoteRefusal(deps, asked.wish.amount, asked.price)
}

type Asked<Price> = { account: string; wish: Wish; price: Price }

/** The same without a look at the offers. */
async function wishRefusal(
  deps: BuyDeps,
  { account, wish, price }: Asked<Sun | Refusal>,
): Promise<Refusal | undefined> {
  const { amount, maxPrice } = wish
  if (wish.resourceType !== 'ENERGY') return refuse('unsupported_resource')
  if (wish.duration !== '1h') return refuse('invalid_duration')
  const receiver = await deps.receiverRefusal(wish.receiver)
  if (receiver) return receiver
  const bounds = boundsRefusal(deps, account, amount)
  if (bounds) return bounds
  if (isRefusal(price)) return price
  if (maxPrice !== undefined && price > maxPrice) {
    return refuse('price_above_limit', { price_sun: price })
  }
  return undefined
}

export async function answer(deps: BuyDeps, buyer: Buyer, prepared: Prepared): Promise<Answered> {
  const { purchase, refusal, taken } = prepared
  // Without a key there is nothing to replay, so a refusal need not join the group.
  if (refusal && buyer.key === undefined) return refusal
  const row = await make(deps, purchase).catch((error) => {
    if (wasNeverSent(error)) return undefined
    deps.log.error('purchase_outcome_unknown', { order: purchase.id, error })
    return lookUp(deps, purchase)
  })
  // A refusal here means that the outcome is unknown: the Energy stays subtracted until the next offer.
  const sold = row !== undefined && (isRefusal(row) || row.outcome === 'accepted')
  if (sold) taken?.keep()
  else taken?.putBack()
  if (row === undefined) return sellingOff()
  if (isRefusal(row)) return row
  return fromRow(row, purchase, refusal)
}

/** Alone and under the lock of its quote, or with the next group. */
async function make(deps: BuyDeps, purchase: Purchase): Promise<BuyRow | undefined> {
  if (purchase.quote === undefined) return deps.purchases.join(purchase)
  const [row] = await deps.buyAll([purchase])
  return row
}

export function fromRow(row: BuyRow, { price }: Purchase, refusal: Refusal | undefined) {
  switch (row.outcome) {
    case 'accepted':
      return new Verbatim(row.response!)
    case 'replayed':
      return new Verbatim(row.response!, { 'idempotency-replayed': 'true' })
    case 'in_flight':
      return refuse('duplicate_request')
    case 'refused':
      return refusal!
    case 'selling_off':
      return sellingOff()
    case 'locked':
      return accountLocked()
    case 'no_quote':
      return quoteGone()
    case 'blocked':
      return accountBlocked(row.response!)
    case 'insufficient':
      return refuse('insufficient_balance', {
        current_balance: row.balance!,
        required_amount: price,
      })
  }
}

/** Looks the purchase up after the connection was lost around the commit. */
export async function lookUp(
  { db }: BuyDeps,
  { account, key, id }: Purchase,
): Promise<BuyRow | Refusal> {
  const message =
    key === undefined
      ? 'The outcome could not be read. Look for the order in GET /orders before you buy again.'
      : 'The outcome could not be read. Send the request again with the same Idempotency-Key.'
  const unknown = refuse('internal_error', { message })
  if (key === undefined) return unknown
  try {
    const [found] = await db.query(findKey, [account, key, id])
    if (found) return { outcome: 'accepted', response: found.response, balance: null }
    return unknown
  } catch {
    return unknown
  }
}
