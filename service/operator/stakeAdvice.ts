import type { BoughtRow } from '../delivery/index.ts'

/** The network's totals: stake gives this Energy a day for each TRX. */
export type EnergyTotals = { limit: bigint; weight: bigint }

/** What one more stake would have sold in the days that were looked at. */
export type Step = {
  stake: bigint
  /** Energy that it gives within a day. */
  perDay: bigint
  sold: bigint
  /** What the marketplaces took for the Energy that it would have sold. */
  saved: bigint
}

export type Advice = {
  totals: EnergyTotals
  days: bigint
  bought: bigint
  cost: bigint
  busiest: BoughtRow | undefined
  /** For a quarter, half, and all of the busiest day. */
  steps: Step[]
}

const SUN_PER_TRX = 1_000_000n
const QUARTERS = [1n, 2n, 4n]

/**
 * How much more stake the last days would have sold. Used Energy comes back within 24 hours, so a stake
 * sells its Energy once a day; what a day wants beyond it is bought as before.
 */
export function adviceOf(days: readonly BoughtRow[], totals: EnergyTotals): Advice {
  const busiest = days.toSorted((a, b) => (a.energy < b.energy ? 1 : -1))[0]
  const sum = (of: (day: BoughtRow) => bigint) => days.reduce((total, day) => total + of(day), 0n)
  const isKnown = totals.limit > 0n && totals.weight > 0n
  const steps = busiest && isKnown ? QUARTERS.map((part) => stepOf(part)) : []

  function stepOf(quarters: bigint): Step {
    const perDay = ceilDivide(busiest!.energy * quarters, 4n)
    const stake = ceilDivide(perDay * totals.weight * SUN_PER_TRX, totals.limit)
    const soldOn = ({ energy }: BoughtRow) => (energy < perDay ? energy : perDay)
    const saved = sum((day) => (day.energy > 0n ? (day.cost * soldOn(day)) / day.energy : 0n))
    return { stake, perDay, sold: sum(soldOn), saved }
  }

  return {
    totals,
    days: BigInt(days.length),
    bought: sum(({ energy }) => energy),
    cost: sum(({ cost }) => cost),
    busiest,
    steps,
  }
}

/** What a year would save for each 10,000 SUN of the stake, if it were like the 30 days. */
export function yearlyBps({ stake, saved }: Step): bigint {
  return stake > 0n ? (saved * 365n * 10_000n) / (30n * stake) : 0n
}

const ceilDivide = (a: bigint, b: bigint) => (a + b - 1n) / b
