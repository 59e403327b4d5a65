export type { Credit, OnCredit } from './credit.ts'
export { createDeposits, type Deposits } from './deposits.ts'
export { depositRoutes } from './routes.ts'
