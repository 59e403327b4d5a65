import type { Retention } from '../db/index.ts'
import { pruneSightings } from './retention.sql.ts'

export const retention: readonly Retention[] = [
  // Twice as long as a receiver is watched for an attempt.
  { table: 'delivery.sighting', keptMs: 2 * 86_400_000, prune: { byAge: pruneSightings } },
]
