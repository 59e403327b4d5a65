export type { Order, OrderStatus } from './order.ts'
export { createOrders, type Orders } from './orders.ts'
export { orderRoutes } from './routes.ts'
export type { OnFinal } from './settle.ts'
