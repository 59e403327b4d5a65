/** What the node shows of an address at its head. */
export type Measured = { limit: bigint; used: bigint }

/** Energy that stands ready: enough for the largest covered transfer. */
export const STANDING_ENERGY = 131_000n

/** A reclaim costs a transaction; below a tenth of the level it is not worth one. */
const TRIM_MIN = STANDING_ENERGY / 10n
const PERCENT = 100n

/** Energy to delegate so that `wanted` is available: what is missing, and one per cent, rounded up. */
export function topUp(wanted: bigint, { limit, used }: Measured): bigint {
  const missing = wanted - (limit - used)
  return missing <= 0n ? 0n : withMargin(missing)
}

/**
 * Energy of the limit that can be taken back. Used Energy follows the stake in proportion, so of the
 * limit L with U used at most L − wanted·L ÷ (L − U) may go. The margin of a top-up stays: a trim
 * that called for a top-up would be two transactions for nothing.
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
