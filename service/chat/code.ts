import { createHash } from 'node:crypto'
import type { Random } from '../kernel/index.ts'

/** Without letters that look like digits: people read it from one screen and type it on another. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LENGTH = 12

/** Sixty random bits: they cannot be guessed with five tries in ten minutes. */
export function newCode(random: Random): string {
  return [...random.bytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** Only this is stored. */
export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code.toUpperCase()).digest()
}
