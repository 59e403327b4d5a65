export type { WholesaleRow } from './follow.sql.ts'
export {
  type FollowRule,
  type FollowTerms,
  followedPriceOf,
  isInExperiment,
  nextFollowed,
} from './followRule.ts'
export { PLAN_WRONG, type Plan, planOf, planReply } from './plan.ts'
export { type Terms, USUAL_ORDER, unitPriceAt } from './price.ts'
export { createPricing, type Pricing } from './pricing.ts'
export { retention } from './retention.ts'
export { pricingRoutes } from './routes.ts'
