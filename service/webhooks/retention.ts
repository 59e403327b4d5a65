import type { Retention } from '../db/index.ts'
import { pruneDeliveries, pruneEndpoints, pruneMessages, pruneReplays } from './retention.sql.ts'

const DAY_MS = 86_400_000
const FIRST = '00000000-0000-0000-0000-000000000000'

export const retention: readonly Retention[] = [
  {
    table: 'webhooks.delivery',
    keptMs: 30 * DAY_MS,
    prune: { inTurn: pruneDeliveries, first: FIRST },
  },
  // Longer than its deliveries, which are listed with it.
  { table: 'webhooks.message', keptMs: 31 * DAY_MS, prune: { byAge: pruneMessages } },
  { table: 'webhooks.replay', keptMs: 30 * DAY_MS, prune: { byAge: pruneReplays } },
  { table: 'webhooks.endpoint', keptMs: 0, prune: { byAge: pruneEndpoints } },
]
