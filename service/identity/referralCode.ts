import type { Random } from '../kernel/index.ts'

/** Without the letters that people read for one another. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 10

/** Short enough to be typed, long enough not to be met by chance: 50 bits. */
export function newReferralCode(random: Random): string {
  return Array.from(random.bytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('')
}
