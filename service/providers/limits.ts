import type { Db } from '../db/index.ts'
import { takeCalls } from './limits.sql.ts'
import type { Marketplace } from './marketplace.ts'

/** Kinds of requests to a marketplace; each may take several calls. */
export type Asking = keyof NonNullable<Marketplace['calls']> | 'look' | 'reclaim'

export type Limits = ReturnType<typeof createLimits>

/** Our own limit on calls to each marketplace, for all processes together. */
export function createLimits(db: Db, marketplaces: ReadonlyMap<string, Marketplace>) {
  async function take(name: string, what: Asking, must: boolean): Promise<boolean> {
    const market = marketplaces.get(name)
    if (!market) return true
    const calls = what === 'look' || what === 'reclaim' ? 1 : (market.calls?.[what] ?? 1)
    return (await db.query(takeCalls, [name, market.callsPerSecond, calls, must])).length > 0
  }

  return {
    /** False above the limit: retry later. */
    mayCall: (name: string, what: Asking) => take(name, what, false),
    /** Counts a rare request that must not wait; orders wait instead. */
    countCall: (name: string, what: Asking) => take(name, what, true),
  }
}
