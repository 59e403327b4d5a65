import { setTimeout as pause } from 'node:timers/promises'

/** Waits on a condition, never on time: returns its first value that is neither false nor undefined. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | false | undefined> | T | false | undefined,
  withinMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value !== false && value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`)
    await pause(10)
  }
}
