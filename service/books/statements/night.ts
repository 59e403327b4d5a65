/** A comparison begins at two in the morning, UTC: what was ordered before midnight is over by then. */
const HOUR = 2

/** The next start after a time. */
export function nextNight(now: Date): Date {
  const next = new Date(now)
  next.setUTCHours(HOUR, 0, 0, 0)
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1)
  return next
}

/** Midnight, UTC, so many days before. */
export function daysBefore(at: Date, days: number): Date {
  const start = new Date(at)
  start.setUTCHours(0, 0, 0, 0)
  start.setUTCDate(start.getUTCDate() - days)
  return start
}
