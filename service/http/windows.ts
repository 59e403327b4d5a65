import type { Clock } from '../kernel/index.ts'

const WINDOW_MS = 60_000
const WINDOWS_MAX = 100_000

/** Counts by name, each in a minute of its own that starts with the first. */
export function createWindows(clock: Clock, limit: number) {
  const windows = new Map<string, { endsMs: number; used: number }>()
  return {
    /** Counts one and says how many seconds to wait when the limit is passed. */
    count(name: string): number | undefined {
      const now = clock.elapsedMs()
      let window = windows.get(name)
      if (!window || window.endsMs <= now) {
        // Bounded: a flood of names forgets the oldest windows, it does not fill the memory.
        if (windows.size >= WINDOWS_MAX) windows.delete(windows.keys().next().value!)
        window = { endsMs: now + WINDOW_MS, used: 0 }
        windows.delete(name)
        windows.set(name, window)
      }
      window.used += 1
      return window.used > limit ? Math.ceil((window.endsMs - now) / 1000) : undefined
    },
    forget: (name: string) => void windows.delete(name),
  }
}
