export type { OnFinal } from './announce.ts'
export type { Order, OrderStatus } from './order.ts'
export { createOrders, type Orders } from './orders.ts'
export { checkoutRoutes, orderRoutes } from './routes.ts'
