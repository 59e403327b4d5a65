import { type Sun, sun } from '../kernel/index.ts'

/** The operator's terms of sale. */
export type Terms = {
  /** SUN per Energy, one for each UTC hour. */
  schedule: readonly bigint[]
  minAmount: bigint
  maxAmount: bigint
  /** SUN per Energy that must stay between what we charge and what we pay. */
  marginFloor: bigint
}

const BASIS_POINTS = 10_000n

/** Rounded up: a fraction of a SUN is never given away. */
export function priceOf(amount: bigint, unitPrice: bigint, discountBasisPoints: bigint): Sun {
  const scaled = amount * unitPrice * (BASIS_POINTS - discountBasisPoints)
  return sun((scaled + BASIS_POINTS - 1n) / BASIS_POINTS)
}

export function unitPriceAt(terms: Terms, at: Date): bigint {
  return terms.schedule[at.getUTCHours()]!
}
