import { type Offer, unitsOf } from './config.ts'

/** How long a price that was shown is kept: an offer that ended this long before the block counts. */
export const PRICE_KEPT_MS = 90_000

/** What an offer gives for a payment. */
export type Given = { offer: Offer; units: bigint; energy: bigint }

/**
 * The one offer by which a payment is judged, and what it gives: of the current offer, which comes
 * first, and those that ended shortly before, the one that delivers most Energy; at a tie the newest.
 * An offer that cannot be sold delivers nothing, so it is never better than one that can.
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
  // Nothing can be sold. The payment was enough for a unit if it was by any of the offers.
  return all.find(({ units }) => units > 0n) ?? all[0]!
}

function give(amount: bigint, offer: Offer): Given {
  const units = unitsOf(amount, offer)
  return { offer, units, energy: units * offer.energyPerUnit }
}
