export type { Outside } from './http.ts'
export type { Taken } from './inventory.ts'
export type {
  Charge,
  LostOrder,
  MarketOrder,
  Marketplace,
  Placed,
  Seen,
  StatementPage,
  Terms,
} from './marketplace.ts'
export {
  accessesOf,
  createMarketplaces,
  type MarketplaceAccess,
  type MarketplaceName,
} from './marketplaces.ts'
export {
  createOwnStake,
  createStakeCosts,
  energyOf,
  type StakeCosting,
  type StakeCosts,
  type StakeUses,
  stakeDays,
} from './own-stake/index.ts'
export type { Absent, Behaviour, Offer, Piece, Prepared, Provider } from './provider.ts'
export type { HealthRow } from './providers.sql.ts'
export { createProviders, type Providers } from './providers.ts'
