export { createAddressMap } from './addressMap.ts'
export {
  type BlockFacts,
  type ContractCall,
  type Delegation,
  type FetchedBlock,
  factsOf,
  type OrphanedBlock,
  type TokenTransfer,
  type Transfer,
  vmCallerOf,
} from './block.ts'
export type { BroadcastState } from './broadcast.sql.ts'
export type { SignedTransaction } from './broadcast.ts'
export { type Chain, createChain, type Ground, type Progress } from './chain.ts'
export type { Departure } from './departures.ts'
export { READ_TIME, SOLID_NUMBER, SOLID_TIME } from './due.sql.ts'
export { fetchAfter } from './fetch.ts'
export { type Behind, createLag, type Lag } from './lag.ts'
export type { ReceiverState } from './receivers.ts'
export { createScan, type OnBlock, type OnOrphan } from './scan.ts'
export { watchAddresses } from './watch.ts'
