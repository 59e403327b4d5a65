export { type SandboxDeps, sandboxApiRoutes } from './routes.ts'
