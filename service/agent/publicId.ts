import type { Random } from '../kernel/index.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LENGTH = 22
/** Larger bytes are skipped: they would make the first letters more likely. */
const FAIR = 256 - (256 % ALPHABET.length)

export const PUBLIC_ID = /^[1-9A-HJ-NP-Za-km-z]{22}$/

/** An id that cannot be guessed: 22 letters of 58 are more than 128 bits. */
export function newPublicId(random: Random): string {
  let id = ''
  while (id.length < LENGTH) {
    for (const byte of random.bytes(LENGTH)) {
      if (byte < FAIR && id.length < LENGTH) id += ALPHABET[byte % ALPHABET.length]
    }
  }
  return id
}
