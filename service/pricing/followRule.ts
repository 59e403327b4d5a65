import { createHash } from 'node:crypto'
import { type Sun, sun } from '../kernel/index.ts'
import { priceOf } from './price.ts'

/** Cost plus margin, for a group of accounts. */
export type FollowTerms = {
  /** Empty: everybody who is in no group with a rule of its own. */
  group: string
  /** SUN per Energy above wholesale. */
  margin: bigint
  /** The most that the price moves within an hour, in SUN per Energy. */
  changeMax: bigint
  /** Larger orders pay the schedule. */
  amountMax: bigint
}

export type FollowRule = FollowTerms & {
  id: string
  isExperiment: boolean
  beganAt: Date
  endsAt: Date | null
}

/** The price of a rule from this moment on, and the cost that it was worked out with. */
export type FollowedPrice = { rule: string; fromAt: Date; unit: bigint; cost: bigint }

type Bounds = { schedule: bigint; marginFloor: bigint }

/**
 * The next price of a rule. `lastHour` are the prices of the hour that ends now. Only two things move it faster than the rule allows: the schedule, which it never passes, and a
 * cost above it, because what does not cover its cost is refused and nothing would be sold.
 */
export function nextFollowed(
  { margin, changeMax }: Pick<FollowTerms, 'margin' | 'changeMax'>,
  { schedule, marginFloor }: Bounds,
  cost: bigint,
  lastHour: readonly bigint[],
): bigint {
  const atLeast = lastHour.reduce(larger, 0n) - changeMax
  const atMost = lastHour.reduce(smaller, lastHour[0] ?? schedule) + changeMax
  const wanted = smaller(larger(cost + margin, atLeast), atMost)
  return smaller(larger(wanted, cost + marginFloor), schedule)
}

/**
 * What an amount costs under a followed price: never more than by the schedule, and a discount takes it no lower
 * than the cost, unless the schedule's price with that discount is lower still.
 */
export function followedPriceOf(
  amount: bigint,
  { unit, cost }: Pick<FollowedPrice, 'unit' | 'cost'>,
  { schedule, marginFloor }: Bounds,
  discount: bigint,
): Sun {
  const listed = priceOf(amount, schedule, discount)
  const least = amount * smaller(unit, cost + marginFloor)
  const followed = larger(priceOf(amount, unit, discount), least)
  return sun(smaller(listed, followed))
}

/** True for the half of the accounts that pays the experiment's price. */
export function isInExperiment(rule: string, account: string): boolean {
  return (createHash('sha256').update(`${rule} ${account}`).digest()[0]! & 1) === 1
}

export const holdsAt = ({ beganAt, endsAt }: Pick<FollowRule, 'beganAt' | 'endsAt'>, at: Date) =>
  beganAt <= at && (endsAt === null || at < endsAt)

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
