/** Days from `from` until before `to`, as 2026-11-18, in UTC. */
export type Range = { from: string; to: string }

const DAY_MS = 86_400_000

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

export function dayAfter(day: string): string {
  return dayOf(new Date(startOf(day).getTime() + DAY_MS))
}

export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`)
}

/** The days of a month such as 2026-11; undefined for anything else. */
export function daysOf(month: string): Range | undefined {
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) return undefined
  const from = `${month}-01`
  const next = startOf(from)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return { from, to: dayOf(next) }
}

/** A day that the calendar has. */
export function isDay(text: string): boolean {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return false
  const at = startOf(text)
  return !Number.isNaN(at.getTime()) && dayOf(at) === text
}
