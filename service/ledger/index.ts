export { type Balance, createLedger, type Ledger, type LockedBalance } from './ledger.ts'
export type { EntryType, OwnAccount, Posting } from './movement.ts'
export { ledgerRoutes } from './routes.ts'
