export { createDailySummary } from './dailySummary.ts'
export { type Change, createLive, type Live } from './live.ts'
export { accountRoutes } from './routes.ts'
export { workspaceRoutes } from './workspaceRoutes.ts'
