/** The network's totals, which determine the Energy per TRX of stake. */
export type Totals = { energyLimit: bigint; energyWeight: bigint }

const SUN_PER_TRX = 1_000_000n
/** A thousandth more: the ratio drifts while our transaction is pending. */
const MARGIN_PARTS = 1_000n

/** Stake that gives at least this much Energy, rounded up, with the margin. */
export function stakeFor(energy: bigint, { energyLimit, energyWeight }: Totals): bigint {
  const exact = ceilDivide(energy * energyWeight * SUN_PER_TRX, energyLimit)
  const withMargin = exact + ceilDivide(exact, MARGIN_PARTS)
  return withMargin < SUN_PER_TRX ? SUN_PER_TRX : withMargin
}

/** Energy that this stake gives, rounded down. */
export function energyOf(stake: bigint, { energyLimit, energyWeight }: Totals): bigint {
  return (stake * energyLimit) / (energyWeight * SUN_PER_TRX)
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}
