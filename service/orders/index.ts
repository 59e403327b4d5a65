export type { OnFinal } from './announce.ts'
export type { Order, OrderStatus } from './order.ts'
export { createOrders, type Orders } from './orders.ts'
export { checkoutRoutes, orderReply, orderRoutes } from './routes.ts'
