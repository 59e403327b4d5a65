import { setTimeout as pause } from 'node:timers/promises'
import { stretched } from './stretched.ts'

/** Poll interval. Polling faster takes processor time from the work that the test waits for. */
const LOOK_MS_MAX = 50

/**
 * Waits for a condition, never for time: returns its first value that is neither false nor
 * undefined.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs = 20_000,
): Promise<T> {
  const began = performance.now()
  for (;;) {
    const value = await condition()
    if (value !== false && value !== undefined) return value
    const waitedMs = performance.now() - began
    // The factor is read only once the plain limit has passed.
    if (waitedMs > withinMs && waitedMs > stretched(withinMs)) {
      throw new Error(`waited ${Math.round(waitedMs)} ms in vain for: ${what}`)
    }
    await pause(Math.min(LOOK_MS_MAX, 10 + waitedMs / 10))
  }
}
