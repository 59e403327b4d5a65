import type { Subscription } from './subscription.ts'

export type BudgetName = 'daily' | 'monthly'
/** What covered calls have cost within the period of each budget. */
export type Spent = Record<BudgetName, bigint>

/** A call brought a budget to 80 %, or used it up. */
export type BudgetMark = {
  kind: 'near' | 'reached'
  budget: BudgetName
  limit: bigint
  spent: bigint
  endsAt: Date
}

const NEAR_PERCENT = 80n
const PERCENT = 100n
const NAMES = ['daily', 'monthly'] as const

/** The UTC day and the UTC month of a moment; the end is the first moment after it. */
export function periodsOf(at: Date): Record<BudgetName, { from: Date; to: Date }> {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  const start = (months: number, days: number) => new Date(Date.UTC(year, months, days))
  return {
    daily: { from: start(month, day), to: start(month, day + 1) },
    monthly: { from: start(month, 1), to: start(month + 1, 1) },
  }
}

type Budgets = Pick<Subscription, 'dailyBudget' | 'monthlyBudget'>

/**
 * Judges the budgets after a call: `spent` includes its price. `until` is the end of the longest period
 * whose budget is used up.
 */
export function judgeBudgets(
  { dailyBudget, monthlyBudget }: Budgets,
  { at, price, spent }: { at: Date; price: bigint; spent: Spent },
): { marks: BudgetMark[]; until: Date | null } {
  const limits = { daily: dailyBudget, monthly: monthlyBudget }
  const periods = periodsOf(at)
  const marks: BudgetMark[] = []
  let until: Date | null = null
  for (const budget of NAMES) {
    const limit = limits[budget]
    if (limit === null) continue
    const [now, endsAt] = [spent[budget], periods[budget].to]
    const isReached = now >= limit
    if (isReached && (until === null || endsAt > until)) until = endsAt
    const mark = { budget, limit, spent: now, endsAt }
    const crosses = (level: bigint) => now * PERCENT >= level && (now - price) * PERCENT < level
    if (crosses(limit * PERCENT)) marks.push({ kind: 'reached', ...mark })
    else if (!isReached && crosses(limit * NEAR_PERCENT)) marks.push({ kind: 'near', ...mark })
  }
  return { marks, until }
}
