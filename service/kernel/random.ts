import { randomBytes } from 'node:crypto'

/** The only source of randomness, so that a simulation can seed it. */
export type Random = {
  bytes(count: number): Uint8Array
  /** A fraction in [0, 1), for jitter. Not for secrets. */
  fraction(): number
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
}
