import { nextTurn } from './turn.ts'

type Reader<Key, Value> = {
  key: Key
  resolve(value: Value | undefined): void
  reject(error: unknown): void
}

/**
 * Reads that arrive while a query is running share the next query.
 * The query is sent after the request arrived, so no answer is older than its request.
 */
export function batched<Key, Value>(
  /** Returns the values in the order of the keys. A key may come twice. */
  readAll: (keys: Key[]) => Promise<readonly (Value | undefined)[]>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: Reader<Key, Value>[] = []
  let isReading = false

  async function readWaiting() {
    isReading = true
    while (waiting.length > 0) {
      // All requests that have arrived by now join the query.
      await nextTurn()
      const batch = waiting
      waiting = []
      await answer(batch)
    }
    isReading = false
  }

  async function answer(batch: Reader<Key, Value>[]) {
    try {
      const values = await readAll(batch.map(({ key }) => key))
      for (const [place, reader] of batch.entries()) reader.resolve(values[place])
    } catch (error) {
      for (const reader of batch) reader.reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!isReading) void readWaiting()
    })
}
