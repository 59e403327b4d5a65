/** Runs work of a key in its turn. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * At most `most` at once for each key; the others of the key wait here, in their order. So a client whose account
 * is locked holds that many connections, however many requests it sends.
 */
export function createTurns(most: number): Turns {
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>()

  return async (key, work) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < most) line.running += 1
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      // The next one takes over this place, so the count stays.
      if (next) next()
      else line.running -= 1
      if (line.running === 0) lines.delete(key)
    }
  }
}
