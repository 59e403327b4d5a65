const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses after the first, second … failed attempt; after the last of them there is no further attempt. */
export const RETRY_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  24 * HOUR,
] as const

const JITTER = 0.2

/**
 * Pause after this many failed attempts; undefined after the last. Retry-After can extend it up to
 * twice its length, and not shorten it.
 */
export function retryDelayMs(
  failedAttempts: number,
  chance: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const base = RETRY_MS[failedAttempts - 1]
  if (base === undefined) return undefined
  const pause = base * (1 - JITTER + 2 * JITTER * chance)
  if (retryAfterMs === undefined) return pause
  return Math.min(Math.max(retryAfterMs, pause), 2 * pause)
}

/** Parses Retry-After: seconds or a date; undefined for anything else. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
