import type { Totals } from './stake.ts'

/** What an operator says about own stake. */
export type StakeTerms = {
  /** What the staked TRX must earn in a year, in basis points. */
  yieldBps: bigint
  /** Basis points of the Energy produced that count as sold at least. */
  floorBps: bigint
  days: bigint
}

/** How one stake was used over some time; `staked`, `perDay` and `standing` are averages. */
export type StakeUse = {
  seconds: bigint
  /** SUN, for Energy and for Bandwidth. */
  staked: bigint
  /** Energy that it produces in a day. */
  perDay: bigint
  /** Of that, lent as standing Energy. */
  standing: bigint
  /** Energy delegated for orders. */
  orders: bigint
  fees: bigint
}

/** The terms of the cost; the unit is undefined when nothing is produced. */
export type StakeCost = {
  seconds: bigint
  staked: bigint
  yielded: bigint
  fees: bigint
  sold: bigint
  produced: bigint
  expected: bigint
  unit: bigint | undefined
}

const SUN_PER_TRX = 1_000_000n
const WHOLE_BPS = 10_000n
const DAY_SECONDS = 86_400n
const YEAR_DAYS = 365n
/** Less than a day says little: orders have hours of the day. */
const HISTORY_SECONDS_MIN = DAY_SECONDS

/**
 * (Staked TRX × yield + fees) ÷ Energy expected to be sold. What is expected is what was sold, and never less than a share of
 * what is produced: a stake that sells nothing because it is expensive does not become more expensive by that.
 */
export function costOfStake(use: StakeUse, terms: StakeTerms): StakeCost {
  if (use.seconds < HISTORY_SECONDS_MIN) {
    return { ...costOver(atFullUse(use), terms), seconds: 0n }
  }
  return costOver(use, terms)
}

/** Before there is history: a day that sells all of its Energy. */
const atFullUse = ({ staked, perDay }: StakeUse): StakeUse => {
  return { seconds: DAY_SECONDS, staked, perDay, standing: 0n, orders: perDay, fees: 0n }
}

function costOver(use: StakeUse, { yieldBps, floorBps }: StakeTerms): StakeCost {
  const { seconds, staked, fees } = use
  const yielded = yieldOf(staked, yieldBps, seconds)
  const produced = (use.perDay * seconds) / DAY_SECONDS
  const sold = use.orders + (use.standing * seconds) / DAY_SECONDS
  const least = ceilDivide(produced * floorBps, WHOLE_BPS)
  const expected = sold > least ? sold : least
  const unit = unitOf(yielded + fees, expected)
  return { seconds, staked, yielded, fees, sold, produced, expected, unit }
}

/** The figure of all stakes: together they are one provider. A stake with a figure of its own counts with that. */
export function costOfAll(stakes: readonly StakeCost[]): bigint | undefined {
  let [cost, energy] = [0n, 0n]
  for (const { unit, expected } of stakes) {
    if (unit === undefined) continue
    cost += unit * expected
    energy += expected
  }
  return unitOf(cost, energy)
}

/** SUN per Energy of stake that sells all that it produces, without fees: until the first costing. */
export function costAtFullUse(
  yieldBps: bigint,
  { energyLimit, energyWeight }: Totals,
): bigint | undefined {
  return unitOf(SUN_PER_TRX * energyWeight * yieldBps, WHOLE_BPS * YEAR_DAYS * energyLimit)
}

export function yieldOf(staked: bigint, yieldBps: bigint, seconds: bigint): bigint {
  return (staked * yieldBps * seconds) / (WHOLE_BPS * YEAR_DAYS * DAY_SECONDS)
}

/** Rounded up and never zero, so that the margin is not overstated. */
function unitOf(cost: bigint, energy: bigint): bigint | undefined {
  if (energy <= 0n) return undefined
  const unit = ceilDivide(cost, energy)
  return unit > 0n ? unit : 1n
}

const ceilDivide = (a: bigint, b: bigint) => (a + b - 1n) / b
