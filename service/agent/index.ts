export { type Agent, createAgent } from './agent.ts'
export { agentRoutes, configReply } from './routes.ts'
