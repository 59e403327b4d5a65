export { createDelivery, type Delivery } from './delivery.ts'
export type { DeliveryRequest, OnOutcome, Outcome } from './request.ts'
