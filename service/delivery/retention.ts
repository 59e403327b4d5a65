import type { Retention } from '../db/index.ts'
import { pruneSightings } from './retention.sql.ts'
import { pruneHours } from './scorecard/store.ts'

export const retention: readonly Retention[] = [
  // Twice as long as a receiver is watched for an attempt.
  { table: 'delivery.sighting', keptMs: 2 * 86_400_000, prune: { byAge: pruneSightings } },
  // The longest window has 30 days.
  { table: 'delivery.scorecard_hour', keptMs: 31 * 86_400_000, prune: { byAge: pruneHours } },
]
