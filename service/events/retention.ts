import type { Retention } from '../db/index.ts'
import { dropBefore } from './retention.sql.ts'

export const retention: readonly Retention[] = [
  { table: 'events.event', keptMs: 30 * 86_400_000, prune: { byAge: dropBefore } },
]
