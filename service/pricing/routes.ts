import { getPublicPricing, type HandledRoute, handle } from '@ergon/contract'
import { planReply } from './plan.ts'
import type { Pricing } from './pricing.ts'

export function pricingRoutes({ pricing }: { pricing: Pricing }): HandledRoute[] {
  return [
    handle(getPublicPricing, () => {
      const { schedule, minAmount, maxAmount } = pricing.terms()
      return {
        unit_price_sun: pricing.unitPrice(),
        schedule: [...schedule],
        timezone: 'UTC',
        min_amount: Number(minAmount),
        max_amount: Number(maxAmount),
        plans: pricing.plans().map(planReply),
      }
    }),
  ]
}
