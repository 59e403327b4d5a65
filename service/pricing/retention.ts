import type { Retention } from '../db/index.ts'
import { pruneFollowed, pruneWholesale } from './retention.sql.ts'

const keptMs = 100 * 86_400_000

export const retention: readonly Retention[] = [
  { table: 'pricing.followed_price', keptMs, prune: { byAge: pruneFollowed } },
  { table: 'pricing.wholesale', keptMs, prune: { byAge: pruneWholesale } },
]
