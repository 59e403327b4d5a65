export { type Agent, createAgent } from './agent.ts'
export type { PublicOffer } from './reads.ts'
export { agentRoutes, configReply } from './routes.ts'
export type { PayerWords } from './words.ts'
