export type { Block } from './chain/blockStore.ts'
export { Chain, ReorgError } from './chain/chain.ts'
export { type ChainOptions, createChain, resetChain } from './chain/createChain.ts'
export { type Devnet, type DevnetOptions, startDevnet } from './chain/devnet.ts'
export type { FaultSettings } from './chain/faults.ts'
export { type Genesis, type GenesisAccount, network } from './chain/genesis.ts'
export { answerCall } from './chain/http/server.ts'
export { type FundedKey, marketplaceKeys, mnemonic } from './chain/networkKeys.ts'
export { Refusal, type RefusalCode } from './chain/refusal.ts'
export {
  noUsage,
  remaining,
  type Usage,
  undelegate,
  unitsOfStake,
  use,
} from './chain/resources.ts'
export { type Behaviour, behaviours } from './marketplaces/behaviour.ts'
export type { MarketplaceName } from './marketplaces/dialect.ts'
export { nodeInProcess } from './marketplaces/nodeInProcess.ts'
export {
  type MarketplaceOptions,
  type OpenMarketplace,
  openMarketplace,
} from './marketplaces/openMarketplace.ts'
export type { Order } from './marketplaces/order.ts'
export { createStandIn, marketplaceNames, type StandIn } from './marketplaces/standIn.ts'
export { telegramToken } from './telegram.ts'
