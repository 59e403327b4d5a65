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

/** Energy of one USDT transfer: wholesale prices are compared for this amount. */
export const USUAL_ORDER = 65_000n

const BASIS_POINTS = 10_000n

/** The price, rounded up to a whole SUN. */
export function priceOf(amount: bigint, unitPrice: bigint, discountBasisPoints: bigint): Sun {
  const scaled = amount * unitPrice * (BASIS_POINTS - discountBasisPoints)
  return sun((scaled + BASIS_POINTS - 1n) / BASIS_POINTS)
}

export function unitPriceAt(terms: Terms, at: Date): bigint {
  return terms.schedule[at.getUTCHours()]!
}
