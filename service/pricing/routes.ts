import { getPublicPricing, type HandledRoute, handle } from '@ergon/contract'
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
        // AutoEnergy's plans join when that room is open; the field is part of the contract already.
        plans: [],
      }
    }),
  ]
}
