export { PLAN_WRONG, type Plan, planOf, planReply } from './plan.ts'
export type { Terms } from './price.ts'
export { createPricing, type Pricing } from './pricing.ts'
export { pricingRoutes } from './routes.ts'
