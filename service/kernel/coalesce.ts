/** So many keys that wait are worth a second read beside the first: the source works while we answer. */
const WORTH_A_SECOND = 32

type Batch<Key, Value> = { keys: Key[]; readers: Reader<Value>[] }
type Reader<Value> = { resolve(value: Value | undefined): void; reject(error: unknown): void }

/**
 * Reads that arrive while one is in flight become one read, which starts when that one is back, or
 * beside it when many wait. Always fresh: a reader never gets an answer to a question asked before its
 * own. Two to three times the rate of one query per reader. A key that two wait for is asked twice:
 * a map of those who wait cost a tenth of such a rate.
 */
export function coalesce<Key, Value>(
  /** Gives the values in the order of the keys. */
  readAll: (keys: Key[]) => Promise<readonly (Value | undefined)[]>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: Batch<Key, Value> = { keys: [], readers: [] }
  let gathering = false
  let inFlight = 0

  function isTime(): boolean {
    if (gathering) return false
    const { length } = waiting.keys
    return inFlight === 0 ? length > 0 : inFlight === 1 && length >= WORTH_A_SECOND
  }

  async function send() {
    // Readers of the same moment join. Waiting a turn of the event loop for more of them was slower.
    gathering = true
    await undefined
    gathering = false
    const batch = waiting
    waiting = { keys: [], readers: [] }
    inFlight += 1
    await answer(batch)
    inFlight -= 1
    if (isTime()) void send()
  }

  async function answer({ keys, readers }: Batch<Key, Value>) {
    try {
      const values = await readAll(keys)
      for (let place = 0; place < readers.length; place += 1) readers[place]!.resolve(values[place])
    } catch (error) {
      for (const reader of readers) reader.reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.keys.push(key)
      waiting.readers.push({ resolve, reject })
      if (isTime()) void send()
    })
}
