export type { OnFinal } from './announce.ts'
export { DURATION_SECONDS, type Order, type OrderStatus } from './order.ts'
export { createOrders, type Orders } from './orders.ts'
export { checkoutRoutes, orderRoutes } from './routes.ts'
