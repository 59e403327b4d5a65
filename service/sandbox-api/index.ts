export { createDevnetControl, type DevnetControl } from './devnet.ts'
export { type SandboxDeps, sandboxApiRoutes } from './routes.ts'
