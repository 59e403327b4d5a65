/** What the node shows of an address at its head. */
export type Measured = { limit: bigint; used: bigint }

/** Energy that stands ready: enough for the largest covered transfer. */
export const STANDING_ENERGY = 131_000n

/** Least Energy worth a reclaim transaction: a tenth of the level. */
const TRIM_MIN = STANDING_ENERGY / 10n
const PERCENT = 100n

/** What an address is given that has none. */
export const STANDING_DELEGATED = withMargin(STANDING_ENERGY)

/** Energy to delegate so that `wanted` is available: what is missing, and one per cent, rounded up. */
export function topUp(wanted: bigint, { limit, used }: Measured): bigint {
  const missing = wanted - (limit - used)
  return missing <= 0n ? 0n : withMargin(missing)
}

/**
 * Energy of the limit that can be reclaimed. Used Energy shrinks in proportion with the stake, so of
 * the limit L with U used at most L − wanted·L ÷ (L − U) may go. The margin of a top-up stays, because
 * a trim must not cause a top-up.
 */
export function trim(wanted: bigint, { limit, used }: Measured): bigint {
  const available = limit - used
  if (available <= 0n) return 0n
  const most = limit - ceilDivide(withMargin(wanted) * limit, available)
  return most >= TRIM_MIN ? most : 0n
}

function withMargin(energy: bigint): bigint {
  return energy + ceilDivide(energy, PERCENT)
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}
