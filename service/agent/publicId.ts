import type { Random } from '../kernel/index.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LENGTH = 22
/** Bytes from here on would make the first letters of the alphabet likelier than the others. */
const FAIR = 256 - (256 % ALPHABET.length)

export const PUBLIC_ID = /^[1-9A-HJ-NP-Za-km-z]{22}$/

/** Nobody guesses a pay page: 22 letters of 58 are more than 128 bits. */
export function newPublicId(random: Random): string {
  let id = ''
  while (id.length < LENGTH) {
    for (const byte of random.bytes(LENGTH)) {
      if (byte < FAIR && id.length < LENGTH) id += ALPHABET[byte % ALPHABET.length]
    }
  }
  return id
}
