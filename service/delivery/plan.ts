import type { Offer } from '../providers/index.ts'

/** One part of an order at one provider. */
export type PlannedPart = { provider: string; energy: bigint; unitPrice: bigint; cost: bigint }

/** All 255 subsets of this many providers are compared. */
const PROVIDERS_MAX = 8
const ALL_FILLED = 10_000n

/**
 * The cheapest plan over the current offers, by price divided by fill rate: a provider that fails every
 * tenth order is as expensive as one that asks a tenth more. An order is split where that is cheaper
 * or necessary. Undefined when the offers do not suffice.
 */
export function planParts(offers: readonly Offer[], energy: bigint): PlannedPart[] | undefined {
  const ranked = offers.filter(({ capacity }) => capacity > 0n).toSorted(byRank)
  const [best] = ranked
  if (!best) return undefined
  // The provider with the lowest unit price can fill it alone, so no split is cheaper. The usual case.
  const plain = energy >= best.minimum && energy >= best.surchargeBelow
  if (plain && canTake(best, energy)) return [partOf(best, energy)]
  const ways = subsetsOf(ranked.slice(0, PROVIDERS_MAX)).flatMap((some) => share(some, energy))
  const [cheapest] = ways.toSorted(
    (a, b) => compare(a.rank, b.rank) || a.parts.length - b.parts.length,
  )
  return cheapest?.parts
}

export function costOf(parts: readonly PlannedPart[]): bigint {
  return parts.reduce((sum, part) => sum + part.cost, 0n)
}

type Way = { parts: PlannedPart[]; rank: bigint }

/** Gives each provider its minimum, then fills up the cheapest ones. */
function share(offers: readonly Offer[], energy: bigint): Way[] {
  const [only] = offers
  const alone = offers.length === 1
  const least = offers.reduce((sum, { minimum }) => sum + minimum, 0n)
  // A single provider may sell more than was ordered: its minimum.
  if (least > energy && !alone) return []
  if (alone) return canTake(only!, energy) ? [wayOf([[only!, energy]])] : []
  let left = energy - least
  const taken: [Offer, bigint][] = []
  for (const offer of offers) {
    const more = offer.capacity - offer.minimum
    if (more < 0n) return []
    const extra = more < left ? more : left
    left -= extra
    taken.push([offer, offer.minimum + extra])
  }
  return left === 0n && taken.every(([, amount]) => amount > 0n) ? [wayOf(taken)] : []
}

function wayOf(taken: readonly [Offer, bigint][]): Way {
  const parts = taken.map(([offer, energy]) => partOf(offer, energy))
  const rank = parts.reduce((sum, { cost }, index) => sum + weigh(cost, taken[index]![0]), 0n)
  return { parts, rank }
}

function canTake({ capacity, minimum }: Offer, energy: bigint): boolean {
  return capacity >= (energy > minimum ? energy : minimum)
}

function partOf(offer: Offer, wanted: bigint): PlannedPart {
  const { provider, unitPrice, minimum, surchargeBelow, surcharge } = offer
  const energy = wanted > minimum ? wanted : minimum
  const cost = energy * unitPrice + (energy < surchargeBelow ? surcharge : 0n)
  return { provider, energy, unitPrice, cost }
}

function weigh(cost: bigint, { fillBps }: Offer): bigint {
  return (cost * ALL_FILLED * 1_000n) / fillBps
}

function byRank(a: Offer, b: Offer): number {
  return compare(weigh(a.unitPrice, a), weigh(b.unitPrice, b)) || (a.provider < b.provider ? -1 : 1)
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  const subsets: T[][] = []
  for (const item of items) {
    subsets.push(...subsets.map((one) => [...one, item]), [item])
  }
  return subsets
}
