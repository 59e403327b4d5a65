export { createDeposits, type Deposits } from './deposits.ts'
export { depositRoutes } from './routes.ts'
