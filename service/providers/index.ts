export { createOwnStake } from './own-stake/index.ts'
export type { Behaviour, Offer, Provider } from './provider.ts'
export { createProviders, type Providers } from './providers.ts'
