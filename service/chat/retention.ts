import type { Retention } from '../db/index.ts'
import { pruneConversations, pruneMessages } from './retention.sql.ts'

const DAY_MS = 86_400_000

/** Times are by the database's clock, which is near the wall clock of every process. */
export const retention: readonly Retention[] = [
  { table: 'chat.message', keptMs: DAY_MS, clock: 'wall', prune: { byAge: pruneMessages } },
  {
    table: 'chat.conversation',
    keptMs: 30 * DAY_MS,
    clock: 'wall',
    prune: { byAge: pruneConversations },
  },
]
