import { periodsOf } from './budget.ts'
import { DAY_MS, later, type Subscription } from './subscription.ts'

/** What a subscription was charged, and what its covered calls have cost lately. */
export type Costs = {
  /** All charges of this UTC month, less refunds. */
  charged: bigint
  spentToday: bigint
  spentThisMonth: bigint
  /** Since `weekBefore`. */
  spentInWeek: bigint
}

type Running = Pick<
  Subscription,
  'status' | 'activatedAt' | 'dailyFee' | 'dailyBudget' | 'monthlyBudget'
>

const WEEK_DAYS = 7

export function weekBefore(now: Date): Date {
  return later(now, -WEEK_DAYS * DAY_MS)
}

/**
 * What this UTC month will cost: what was charged, and for the rest of the month the daily fee and the
 * average day of the last seven. The average is taken over at least one day, and budgets bound it. A
 * subscription that is closed costs nothing more.
 */
export function forecastMonth(sub: Running, costs: Costs, now: Date): bigint {
  if (sub.status === 'closed') return costs.charged
  const restMs = BigInt(periodsOf(now).monthly.to.getTime() - now.getTime())
  const since = sub.activatedAt ?? now
  const start = since > weekBefore(now) ? since : weekBefore(now)
  const shortest = later(now, -DAY_MS)
  const usedMs = BigInt(now.getTime() - (start < shortest ? start : shortest).getTime())
  const dayMs = BigInt(DAY_MS)
  const average = atMost((costs.spentInWeek * dayMs) / usedMs, sub.dailyBudget)
  const left = sub.monthlyBudget === null ? null : sub.monthlyBudget - costs.spentThisMonth
  const calls = atMost((average * restMs) / dayMs, left)
  return costs.charged + (sub.dailyFee * restMs) / dayMs + (calls > 0n ? calls : 0n)
}

function atMost(amount: bigint, most: bigint | null): bigint {
  return most !== null && most < amount ? most : amount
}
