import { type Sun, sun } from '../kernel/index.ts'

/** The operator's terms of sale. */
export type Terms = {
  /** SUN per Energy, one for each UTC hour. */
  schedule: readonly bigint[]
  minAmount: bigint
  maxAmount: bigint
  /** Least margin in SUN per Energy between retail price and cost. */
  marginFloor: bigint
}

const BASIS_POINTS = 10_000n

/** The price, rounded up to a whole SUN. */
export function priceOf(amount: bigint, unitPrice: bigint, discountBasisPoints: bigint): Sun {
  const scaled = amount * unitPrice * (BASIS_POINTS - discountBasisPoints)
  return sun((scaled + BASIS_POINTS - 1n) / BASIS_POINTS)
}

export function unitPriceAt(terms: Terms, at: Date): bigint {
  return terms.schedule[at.getUTCHours()]!
}
