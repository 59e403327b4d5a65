import type { Retention } from '../db/index.ts'
import { pruneDust, pruneVersions } from './retention.sql.ts'

const DAY_MS = 86_400_000
const FIRST = '00000000-0000-0000-0000-000000000000'

export const retention: readonly Retention[] = [
  { table: 'agent.dust', keptMs: 90 * DAY_MS, prune: { byAge: pruneDust } },
  {
    table: 'agent.config_version',
    keptMs: 90 * DAY_MS,
    prune: { inTurn: pruneVersions, first: FIRST },
  },
]
