import type { Doors } from '../kernel/index.ts'

const GIVEN = /^[\w.-]{1,64}$/
/** The third group of a UUIDv7. */
const COUNTS = Array.from({ length: 0x1000 }, (_, count) => (0x7000 + count).toString(16))
const TAIL_AT = 'ssssssss-mmmm-7ccc'.length

/** Whether a client's own id is taken over. */
export function isRequestId(text: string): boolean {
  return GIVEN.test(text)
}

/**
 * Ids for requests that bring none. A UUIDv7 by the wall clock, of which only the moment and a count are
 * new each time; the rest is drawn once. They name a request and open nothing, so they may be guessed.
 */
export function createRequestIds({ clock, ids }: Doors): () => string {
  const tail = ids.next().slice(TAIL_AT)
  let count = 0
  let ms = -1
  let head = ''
  return () => {
    const nowMs = clock.wallMs()
    // A wall clock that is set back would give the same ones again.
    if (nowMs > ms) {
      ms = nowMs
      const hex = nowMs.toString(16).padStart(12, '0')
      head = `${hex.slice(0, 8)}-${hex.slice(8)}-`
    }
    count = (count + 1) % COUNTS.length
    return head + COUNTS[count] + tail
  }
}
