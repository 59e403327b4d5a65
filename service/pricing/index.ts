export { priceOf, type Terms, unitPriceAt } from './price.ts'
export { createPricing, type Pricing } from './pricing.ts'
export { pricingRoutes } from './routes.ts'
