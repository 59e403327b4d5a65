import { type Offer, unitsOf } from './config.ts'

/** How long a shown price counts: an offer that ended this long before the block is still considered. */
export const PRICE_KEPT_MS = 90_000

/** What an offer gives for a payment. */
export type Given = { offer: Offer; units: bigint; energy: bigint }

/**
 * Chooses the offer that decides a payment: of the current offer (first in the list) and the offers that
 * ended shortly before, the offer with the most Energy; at a tie the newest. An offer that cannot be sold
 * gives no Energy.
 */
export function bestGiven(
  amount: bigint,
  offers: readonly [Offer, ...Offer[]],
  canBeSold: (given: Given) => boolean,
): Given {
  const all = offers.map((offer) => give(amount, offer))
  const deliverable = all.filter((given) => given.units > 0n && canBeSold(given))
  const [first, ...others] = deliverable
  if (first) return others.reduce((best, one) => (one.energy > best.energy ? one : best), first)
  // Nothing can be sold. The payment counts as enough if any offer gave a unit for it.
  return all.find(({ units }) => units > 0n) ?? all[0]!
}

function give(amount: bigint, offer: Offer): Given {
  const units = unitsOf(amount, offer)
  return { offer, units, energy: units * offer.energyPerUnit }
}
