import type { Retention } from '../db/index.ts'
import { pruneDays, pruneDismissals } from './retention.sql.ts'

const DAY_MS = 86_400_000
/** Days shown on the status page, today among them. */
export const DAYS_SHOWN = 90

export const retention: readonly Retention[] = [
  { table: 'status.day', keptMs: DAYS_SHOWN * DAY_MS, prune: { byAge: pruneDays } },
  { table: 'status.dismissal', keptMs: 400 * DAY_MS, prune: { byAge: pruneDismissals } },
]
