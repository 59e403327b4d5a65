export { createOwnStake, energyOf, stakeFor } from './own-stake/index.ts'
export { type Behaviour, behaviours, type Offer, type Provider } from './provider.ts'
export { createProviders, type Providers } from './providers.ts'
