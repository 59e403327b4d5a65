import type { Clock } from '../kernel/index.ts'

const WINDOW_MS = 60_000
const WINDOWS_MAX = 100_000

/** Counts by name in windows of a minute that start with the first request. */
export function createWindows(clock: Clock, limit: number) {
  const windows = new Map<string, { endsMs: number; used: number }>()
  return {
    /** Counts a request; returns the seconds to wait above the limit. */
    count(name: string): number | undefined {
      const now = clock.elapsedMs()
      let window = windows.get(name)
      if (!window || window.endsMs <= now) {
        // Bounded: evict the oldest windows instead of filling the memory.
        if (windows.size >= WINDOWS_MAX) windows.delete(windows.keys().next().value!)
        window = { endsMs: now + WINDOW_MS, used: 0 }
        windows.delete(name)
        windows.set(name, window)
      }
      window.used += 1
      return window.used > limit ? Math.ceil((window.endsMs - now) / 1000) : undefined
    },
    /**
     * Counts further requests of a call that was counted as one. Above the limit it counts none of them, not even that
     * one, and returns the seconds to wait.
     */
    countMore(name: string, requests: number): number | undefined {
      const window = windows.get(name)
      if (!window) return undefined
      if (window.used + requests > limit) {
        window.used -= 1
        return Math.max(1, Math.ceil((window.endsMs - clock.elapsedMs()) / 1000))
      }
      window.used += requests
      return undefined
    },
    forget: (name: string) => void windows.delete(name),
  }
}
