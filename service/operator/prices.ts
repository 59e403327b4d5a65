import { refuse } from '@ergon/contract'
import type { Agent } from '../agent/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Pricing, Terms } from '../pricing/index.ts'
import { USUAL } from './status.ts'

export type Prices = ReturnType<typeof createPrices>
/** The terms to change. */
export type Wish = Partial<Terms>

type Deps = { agent: Agent; delivery: Delivery; pricing: Pricing }

/** Previews and saves terms. */
export function createPrices({ agent, delivery, pricing }: Deps) {
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
      return {
        terms,
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

const differs = (name: keyof Terms, a: Wish, b: Terms) => String(a[name]) !== String(b[name])

/** Only the terms that differ. */
function changed(terms: Terms, other: Terms): Wish {
  const names = (Object.keys(terms) as (keyof Terms)[]).filter((name) =>
    differs(name, terms, other),
  )
  return Object.fromEntries(names.map((name) => [name, terms[name]]))
}
