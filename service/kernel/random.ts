import { randomBytes } from 'node:crypto'

/** The only source of randomness, so that a simulation can seed it. */
export type Random = {
  bytes(count: number): Uint8Array
  /** A fraction in [0, 1), for jitter. Not for secrets. */
  fraction(): number
}

const POOL_BYTES = 4_096
let pool = Buffer.alloc(0)
let taken = 0

/** Bytes from a pool: a request needs several ids, and one system call serves hundreds of them. */
function bytes(count: number): Uint8Array {
  if (count > POOL_BYTES / 16) return randomBytes(count)
  if (taken + count > pool.length) {
    // Allocate a new pool instead of refilling: callers still hold slices of the old one.
    pool = randomBytes(POOL_BYTES)
    taken = 0
  }
  taken += count
  return pool.subarray(taken - count, taken)
}

export const systemRandom: Random = {
  bytes,
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
}
