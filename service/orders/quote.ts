import { type Refusal, refuse } from '@ergon/contract'
import type { Chain } from '../chain/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'

const SELLING_OFF =
  'Energy purchasing is temporarily unavailable. Nothing was charged; try again shortly.'
const BEHIND =
  'We are reading the chain behind time and sell nothing until we have caught up. ' +
  'Nothing was charged; send the same request again in a minute.'
const IN_RECOVERY =
  'We are comparing our books with the chain after a fault and sell nothing until that is done. ' +
  'Nothing was charged; try again later.'
const UNPROVEN =
  'Our books have not been checked for an hour, and we sell nothing until they are. ' +
  'Nothing was charged; try again later.'
const NO_OFFER =
  'No provider can deliver this amount right now. Nothing was charged; try again shortly.'
const AT_A_LOSS =
  'Energy cannot be sold at this price right now. Nothing was charged; try again shortly.'

const ACCOUNT_LOCKED =
  'Another change of your balance is taking too long. Nothing was charged; send the same request again shortly.'

/** The account stayed locked by another transaction. */
export function accountLocked(): Refusal {
  return refuse('service_unavailable', { message: ACCOUNT_LOCKED })
}

/** Selling is switched off, or the queue of purchases is full. */
export function sellingOff(): Refusal {
  return refuse('service_unavailable', { message: SELLING_OFF })
}

/** No provider offers this amount, or another purchase has just taken it. */
export function noOffer(): Refusal {
  return refuse('service_unavailable', { message: NO_OFFER })
}

export type QuoteDeps = {
  chain: Chain
  delivery: Delivery
  pricing: Pricing
  unproven(): string | undefined
}

/**
 * Refuses a purchase that no provider can deliver, that the scanner could not see delivered, whose price
 * is below our cost plus the margin floor, or any while the auditor has proven nothing for an hour.
 */
export function quoteRefusal(deps: QuoteDeps, amount: bigint, price: Sun): Refusal | undefined {
  const { chain, delivery, pricing } = deps
  if (deps.unproven()) return refuse('service_unavailable', { message: UNPROVEN })
  const behind = chain.lag.behind()
  if (behind) {
    const message = behind.reason === 'recovery' ? IN_RECOVERY : BEHIND
    return refuse('service_unavailable', { message })
  }
  const cost = delivery.costOf(amount)
  if (cost === undefined) return noOffer()
  const floor = cost + amount * pricing.terms().marginFloor
  return price < floor ? refuse('service_unavailable', { message: AT_A_LOSS }) : undefined
}

export type BoundsDeps = {
  pricing: Pricing
  /** Energy of the largest order that an operator allows this client; undefined: as for everybody. */
  orderMaxOf(account: string): bigint | undefined
}

/** The bounds of a client's orders: those of the service, and its own largest order. */
export function boundsOf({ pricing, orderMaxOf }: BoundsDeps, account: string) {
  const { minAmount, maxAmount } = pricing.terms()
  const own = orderMaxOf(account)
  return { minAmount, maxAmount: own !== undefined && own < maxAmount ? own : maxAmount }
}

/** Refuses what is smaller or larger than an order of this client may be. */
export function boundsRefusal(
  deps: BoundsDeps,
  account: string,
  amount: bigint,
): Refusal | undefined {
  const { minAmount, maxAmount } = boundsOf(deps, account)
  const bounds = { min: minAmount, max: maxAmount }
  if (amount < minAmount) {
    const message = `The smallest order is ${minAmount} Energy. Ask for at least that much.`
    return refuse('order_amount_below_minimum', { message, ...bounds })
  }
  if (amount > maxAmount) {
    const message = `The largest order is ${maxAmount} Energy. Split it into several orders.`
    return refuse('order_amount_above_maximum', { message, ...bounds })
  }
  return undefined
}
