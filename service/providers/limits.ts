import type { Db } from '../db/index.ts'
import { takeCalls } from './limits.sql.ts'
import type { Marketplace } from './marketplace.ts'

/** Kinds of requests to a marketplace; each may take several calls. */
export type Asking = keyof NonNullable<Marketplace['calls']> | 'look' | 'reclaim'

export type Limits = ReturnType<typeof createLimits>

/** Our own limit on calls to each marketplace, for all processes together. */
export function createLimits(db: Db, marketplaces: ReadonlyMap<string, Marketplace>) {
  const callsOf = ({ calls }: Marketplace, what: Asking) =>
    what === 'look' || what === 'reclaim' ? 1 : (calls?.[what] ?? 1)

  async function take(name: string, what: Asking, must: boolean): Promise<boolean> {
    const market = marketplaces.get(name)
    if (!market) return true
    const calls = callsOf(market, what)
    return (await db.query(takeCalls, [name, market.callsPerSecond, calls, must])).length > 0
  }

  return {
    /** False above the limit: retry later. */
    mayCall: (name: string, what: Asking) => take(name, what, false),
    /** Counts a rare request that must not wait; orders wait instead. */
    countCall: (name: string, what: Asking) => take(name, what, true),
    /** Marketplaces, and the seconds that a request for the offer of each takes from its limit. */
    ofPolls(): [names: string[], seconds: number[]] {
      const all = [...marketplaces.values()]
      const seconds = all.map((market) => callsOf(market, 'offer') / market.callsPerSecond)
      return [all.map(({ name }) => name), seconds]
    },
  }
}
