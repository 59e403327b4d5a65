/** Months as 2026-11, in UTC. */
export function monthAt(at: Date): string {
  return at.toISOString().slice(0, 7)
}

export function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`)
}

export function nextMonth(month: string): string {
  const at = startOf(month)
  at.setUTCMonth(at.getUTCMonth() + 1)
  return monthAt(at)
}
