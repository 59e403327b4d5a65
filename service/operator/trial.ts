import type { Clock } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import { type FollowRule, isInExperiment, type Pricing } from '../pricing/index.ts'
import { costsOf } from './costs.ts'

/** One half of an experiment's accounts. */
export type Half = {
  accounts: number
  orders: number
  energy: bigint
  revenue: bigint
  margin: bigint
}

export type Trial = {
  rule: FollowRule
  tried: Half
  others: Half
  /** Margin per account of the tried half less that of the others, in SUN; null: an account too few. */
  difference: { mean: bigint; low: bigint; high: bigint } | null
  /** Orders of a time without a record of wholesale: they are in none of the sums. */
  unknown: number
}

const MONTH_MS = 30 * 86_400_000

/**
 * The result of an experiment. Its accounts are those that ordered in the 30 days before it began, whether they
 * bought again or not: whom the price kept away counts too.
 */
export function createTrial(deps: { pricing: Pricing; orders: Orders; clock: Clock }) {
  const { pricing, orders, clock } = deps
  return async (rule: FollowRule): Promise<Trial> => {
    const { beganAt, endsAt, group } = rule
    const now = clock.now()
    const until = endsAt !== null && endsAt < now ? endsAt : now
    const before = new Date(beganAt.getTime() - MONTH_MS)
    const margins = new Map<string, bigint>()
    for (const account of await orders.buyers(before, beganAt)) {
      if (group === '' || pricing.groupOf(account) === group) margins.set(account, 0n)
    }
    const isTried = (account: string) => isInExperiment(rule.id, account)
    const costAt = costsOf(await pricing.wholesaleSince(beganAt))
    const [tried, others] = [emptyHalf(), emptyHalf()]
    let unknown = 0
    for await (const { account, at, energy, price } of orders.soldBetween(beganAt, until)) {
      const margin = margins.get(account)
      if (margin === undefined) continue
      const cost = costAt(at)
      if (cost === undefined) {
        unknown += 1
        continue
      }
      const half = isTried(account) ? tried : others
      half.orders += 1
      half.energy += energy
      half.revenue += price
      half.margin += price - energy * cost
      margins.set(account, margin + price - energy * cost)
    }
    const [ofTried, ofOthers]: [bigint[], bigint[]] = [[], []]
    for (const [account, margin] of margins) {
      if (isTried(account)) ofTried.push(margin)
      else ofOthers.push(margin)
    }
    tried.accounts = ofTried.length
    others.accounts = ofOthers.length
    return { rule, tried, others, difference: differenceOf(ofTried, ofOthers), unknown }
  }
}

const emptyHalf = (): Half => ({ accounts: 0, orders: 0, energy: 0n, revenue: 0n, margin: 0n })

/**
 * The difference of two means with the interval that holds the true one 95 times of 100 (Welch: 1.96 standard
 * errors, each side with its own variance). In whole SUN, the interval rounded outwards.
 */
export function differenceOf(
  a: readonly bigint[],
  b: readonly bigint[],
): { mean: bigint; low: bigint; high: bigint } | null {
  if (a.length < 2 || b.length < 2) return null
  const [one, two] = [momentsOf(a), momentsOf(b)]
  // Squared standard error: one.spread ÷ one.scale + two.spread ÷ two.scale.
  const spread = one.spread * two.scale + two.spread * one.scale
  const scale = one.scale * two.scale
  const error = rootUp((196n * 196n * spread) / (100n * 100n * scale) + 1n)
  const mean = (one.sum * two.count - two.sum * one.count) / (one.count * two.count)
  return { mean, low: mean - error, high: mean + error }
}

/** The sum of some values, and their mean's variance as a fraction. */
function momentsOf(values: readonly bigint[]) {
  const count = BigInt(values.length)
  const sum = values.reduce((all, value) => all + value, 0n)
  const squares = values.reduce((all, value) => all + value * value, 0n)
  return { count, sum, spread: count * squares - sum * sum, scale: count * count * (count - 1n) }
}

/** The square root, rounded up. */
function rootUp(value: bigint): bigint {
  if (value <= 1n) return value
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root * root < value ? root + 1n : root
    root = next
  }
}
