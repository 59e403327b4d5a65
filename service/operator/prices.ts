import { refuse } from '@ergon/contract'
import type { Agent } from '../agent/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Pricing } from '../pricing/index.ts'
import { USUAL } from './status.ts'

export type Prices = ReturnType<typeof createPrices>

type Deps = { agent: Agent; delivery: Delivery; pricing: Pricing }

/** What a schedule would do, and making it so. */
export function createPrices({ agent, delivery, pricing }: Deps) {
  return {
    async preview(schedule: readonly bigint[]) {
      const cost = delivery.costOf(USUAL)
      // Rounded up: a margin is not shown larger than it is.
      const wholesale = cost === undefined ? null : (cost + USUAL - 1n) / USUAL
      const floor = pricing.terms().marginFloor
      const hours = schedule.map((price, hour) => ({
        hour,
        was: pricing.terms().schedule[hour]!,
        price,
        margin: wholesale === null ? null : price - wholesale,
      }))
      return {
        wholesale,
        hours,
        hoursBelowCost: hours.filter(({ margin }) => margin !== null && margin < floor).length,
        atRisk: await agent.riskUnder(schedule),
      }
    },
    /** Refused when somebody else has changed it since it was looked at. */
    async save(schedule: readonly bigint[], was: readonly bigint[] | undefined) {
      await pricing.refresh()
      const before = pricing.terms().schedule
      if (was && was.join() !== before.join()) {
        const message = 'The schedule has been changed meanwhile. Look at it again.'
        return refuse('changed_meanwhile', { message })
      }
      await pricing.changeTerms({ schedule })
      return { reply: pricing.terms(), change: { before: [...before], after: [...schedule] } }
    },
  }
}
