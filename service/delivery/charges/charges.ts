import type { Db } from '../../db/index.ts'
import { attemptsSince, type ChargeRow, type OpenRow, openAttempts } from './store.ts'

/** What marketplaces charge for attempts, for those who compare our prepaid balance there. */
export type Charges = {
  /** Before a reading of the balance: what may be charged or given back during and after it. */
  open(provider: string): Promise<OpenRow>
  /** Attempts called since a time, and those with these ids, as they are now. */
  since(provider: string, from: Date, ids: readonly string[]): Promise<ChargeRow[]>
}

export function createCharges(db: Db): Charges {
  return {
    open: async (provider) => (await db.query(openAttempts, [provider]))[0]!,
    since: (provider, from, ids) => db.query(attemptsSince, [provider, from, ids]),
  }
}
