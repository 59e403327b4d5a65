import type { Retention } from '../db/index.ts'
import { pruneKeys, pruneQuotes } from './retention.sql.ts'

export const retention: readonly Retention[] = [
  // An hour longer than a key replays: clocks of nodes differ, and none may delete what counts for another.
  { table: 'orders.idempotency_key', keptMs: 25 * 3_600_000, prune: { byAge: pruneKeys } },
  { table: 'orders.quote', keptMs: 25 * 3_600_000, prune: { byAge: pruneQuotes } },
]
