export { createDelivery, type Delivery } from './delivery.ts'
export type { DeliveryRequest, OnOutcome, Outcome } from './request.ts'
export { STANDING_ENERGY } from './standing/level.ts'
export type { Standing, StandingLevel } from './standing/standing.ts'
