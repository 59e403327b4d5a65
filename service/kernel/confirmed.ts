import { coalesce } from './coalesce.ts'

type Confirmed<Value> = {
  /** As an answer had it; there may have been a later one. */
  known(key: string): Value | undefined
  /** As it is now; the same object as long as nothing has changed. */
  read(key: string): Promise<Value | undefined>
}

/**
 * Which of the keys are no longer as given, and what they are now: undefined when there is none. A key
 * may come twice.
 */
type FindMoved<Value> = (
  keys: string[],
  known: (Value | undefined)[],
) => Promise<(readonly [key: string, now: Value | undefined])[]>

/**
 * Values that are read far more often than they change. They are kept, and the source is asked with
 * each read, but only for those that have moved: most answers are empty.
 */
export function confirmed<Value>(
  findMoved: FindMoved<Value>,
  { most }: { most: number },
): Confirmed<Value> {
  const known = new Map<string, Value>()

  function learn(key: string, value: Value | undefined) {
    known.delete(key)
    if (value === undefined) return
    // What was learnt longest ago makes room.
    if (known.size >= most) known.delete(known.keys().next().value!)
    known.set(key, value)
  }

  const read = coalesce(async (keys: string[]) => {
    // As they are known when the question is asked: the answer is about these.
    const given = keys.map((key) => known.get(key))
    const moved = await findMoved(keys, given)
    if (moved.length === 0) return given
    for (const [key, value] of moved) learn(key, value)
    const now = new Map(moved)
    return keys.map((key, place) => (now.has(key) ? now.get(key) : given[place]))
  })

  return { known: (key) => known.get(key), read }
}
