import type { Clock } from './clock.ts'

/** Rate limit by key and window. Returns the seconds to wait, or 0 when the request is allowed. */
export function createAllowance(
  clock: Pick<Clock, 'elapsedMs'>,
  { most, windowMs }: { most: number; windowMs: number },
): (key: string) => number {
  const windows = new Map<string, { endsMs: number; left: number }>()
  return (key) => {
    const now = clock.elapsedMs()
    for (const [other, window] of windows) if (window.endsMs <= now) windows.delete(other)
    const window = windows.get(key) ?? { endsMs: now + windowMs, left: most }
    windows.set(key, window)
    if (window.left === 0) return Math.ceil((window.endsMs - now) / 1_000)
    window.left -= 1
    return 0
  }
}
