import type { Retention } from '../db/index.ts'
import { pruneCharges } from './statements/run.sql.ts'

export const retention: readonly Retention[] = [
  // By the marketplaces' clocks.
  {
    table: 'books.statement_row',
    keptMs: 90 * 86_400_000,
    clock: 'wall',
    prune: { byAge: pruneCharges },
  },
]
