export { createLedger, type Ledger, type LockedBalance } from './ledger.ts'
export type { EntryType, OwnAccount, Posting } from './movement.ts'
export type { Balance } from './readBalance.ts'
export { ledgerRoutes } from './routes.ts'
