export { createDevnetControl, type DevnetControl, sinkUrlOf } from './devnet.ts'
export { type SandboxDeps, sandboxApiRoutes } from './routes.ts'
