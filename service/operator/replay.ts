import type { Clock } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import {
  type FollowTerms,
  followedPriceOf,
  nextFollowed,
  type Pricing,
  unitPriceAt,
} from '../pricing/index.ts'
import { costsOf } from './costs.ts'

type Money = { revenue: bigint; cost: bigint }

/** What a rule would have done with the orders of the last seven days. */
export type Replay = {
  orders: number
  energy: bigint
  /** As it was sold. The cost is that of wholesale at the time. */
  was: Money
  /** What the rule would have sold of it. */
  would: Money & { orders: number; energy: bigint }
  /** Orders of a time without a record of wholesale: they are in none of the sums. */
  unknown: number
}

const WEEK_MS = 7 * 86_400_000
const MINUTE_MS = 60_000
const MINUTES = 60

/**
 * Sells the last seven days' orders again, by a rule that moves its price each minute over the recorded
 * wholesale prices. Schedule, margin floor, discounts and groups are those of now. An order that the rule would
 * have priced below its cost counts as not sold.
 */
export function createReplay(deps: { pricing: Pricing; orders: Orders; clock: Clock }) {
  const { pricing, orders, clock } = deps
  return async (terms: FollowTerms): Promise<Replay> => {
    const until = clock.now()
    const from = new Date(until.getTime() - WEEK_MS)
    const rows = await pricing.wholesaleSince(from)
    const { marginFloor } = pricing.terms()
    const followedAt = follow(terms, pricing, costsOf(rows), from)
    const costAt = costsOf(rows)
    const sum: Replay = {
      orders: 0,
      energy: 0n,
      was: { revenue: 0n, cost: 0n },
      would: { revenue: 0n, cost: 0n, orders: 0, energy: 0n },
      unknown: 0,
    }
    for await (const { account, at, energy, price } of orders.soldBetween(from, until)) {
      if (terms.group !== '' && pricing.groupOf(account) !== terms.group) continue
      const unit = followedAt(at)
      const cost = costAt(at)
      if (unit === undefined || cost === undefined) {
        sum.unknown += 1
        continue
      }
      sum.orders += 1
      sum.energy += energy
      sum.was.revenue += price
      sum.was.cost += energy * cost
      const bounds = { schedule: unitPriceAt(pricing.terms(), at), marginFloor }
      const paid =
        energy > terms.amountMax
          ? price
          : followedPriceOf(energy, { unit, cost }, bounds, pricing.discountOf(account))
      if (paid < energy * (cost + marginFloor)) continue
      sum.would.orders += 1
      sum.would.energy += energy
      sum.would.revenue += paid
      sum.would.cost += energy * cost
    }
    return sum
  }
}

/** The rule's price at a time; undefined while no wholesale price is known. Ask in the order of time. */
function follow(
  rule: FollowTerms,
  pricing: Pricing,
  costAt: (at: Date) => bigint | undefined,
  from: Date,
): (at: Date) => bigint | undefined {
  const { marginFloor } = pricing.terms()
  const lastHour: bigint[] = []
  let minute = from.getTime()
  return (at) => {
    for (; minute <= at.getTime(); minute += MINUTE_MS) {
      const then = new Date(minute)
      const cost = costAt(then)
      if (cost === undefined) continue
      const schedule = unitPriceAt(pricing.terms(), then)
      if (lastHour.length === 0) lastHour.push(schedule)
      lastHour.push(nextFollowed(rule, { schedule, marginFloor }, cost, lastHour))
      if (lastHour.length > MINUTES) lastHour.shift()
    }
    return lastHour.at(-1)
  }
}
