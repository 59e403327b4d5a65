import { refuse } from '@ergon/contract'
import type { Agent } from '../agent/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Clock } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing, Terms } from '../pricing/index.ts'
import { USUAL } from './status.ts'

export type Prices = ReturnType<typeof createPrices>
/** The terms to change. */
export type Wish = Partial<Terms>

type Deps = { agent: Agent; delivery: Delivery; orders: Orders; pricing: Pricing; clock: Clock }

const WEEK_MS = 7 * 86_400_000

/** Previews and saves terms. */
export function createPrices({ agent, delivery, orders, pricing, clock }: Deps) {
  return {
    async preview(wish: Wish) {
      const before = pricing.terms()
      const terms = { ...before, ...wish }
      const cost = delivery.costOf(USUAL)
      // Rounded up, so that the margin is not overstated.
      const wholesale = cost === undefined ? null : (cost + USUAL - 1n) / USUAL
      const hours = terms.schedule.map((price, hour) => ({
        hour,
        was: before.schedule[hour]!,
        price,
        margin: wholesale === null ? null : price - wholesale,
      }))
      const isBelow = ({ margin }: { margin: bigint | null }) =>
        margin !== null && margin < terms.marginFloor
      const sales = await orders.salesByHour(new Date(clock.now().getTime() - WEEK_MS))
      return {
        terms,
        lastWeek: lastWeekUnder(sales, hours),
        wholesale,
        hours,
        hoursBelowCost: hours.filter(isBelow).length,
        atRisk: await agent.riskUnder(terms),
      }
    },
    /** Refused when the terms have changed since they were read. */
    async save(wish: Wish, was: Wish) {
      await pricing.refresh()
      const before = pricing.terms()
      const after = { ...before, ...wish }
      if (Object.keys(was).some((name) => differs(name as keyof Terms, was, before))) {
        const message = 'The schedule has been changed meanwhile. Look at it again.'
        return refuse('changed_meanwhile', { message })
      }
      if (after.minAmount > after.maxAmount) {
        const message = 'The smallest order must not be above the largest.'
        return refuse('validation_error', { message })
      }
      await pricing.changeTerms(wish)
      const change = { before: changed(before, after), after: changed(after, before) }
      return { reply: pricing.terms(), change }
    },
  }
}

/** Last week's sales as they were, and at the proposed prices, with everybody's discount. */
function lastWeekUnder(
  sales: readonly { hour: number; energy: bigint; revenue: bigint }[],
  hours: readonly { was: bigint; price: bigint }[],
) {
  const sum = (of: (sale: (typeof sales)[number]) => bigint) =>
    sales.reduce((all, sale) => all + of(sale), 0n)
  return {
    energy: sum(({ energy }) => energy),
    revenue: sum(({ revenue }) => revenue),
    proposed: sum(({ hour, revenue }) => (revenue * hours[hour]!.price) / hours[hour]!.was),
  }
}

const differs = (name: keyof Terms, a: Wish, b: Terms) => String(a[name]) !== String(b[name])

/** Only the terms that differ. */
function changed(terms: Terms, other: Terms): Wish {
  const names = (Object.keys(terms) as (keyof Terms)[]).filter((name) =>
    differs(name, terms, other),
  )
  return Object.fromEntries(names.map((name) => [name, terms[name]]))
}
