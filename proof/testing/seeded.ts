/** Repeatable randomness: the same seed gives the same run, so a failure can be reproduced. */
export type Seeded = {
  fraction(): number
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** True once in `times`. */
  once(times: number): boolean
}

/** mulberry32: small, fast and good enough for tests. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    pick: (from) => from[below(from.length)]!,
    once: (times) => below(times) === 0,
  }
}
