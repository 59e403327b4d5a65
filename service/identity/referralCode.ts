import type { Random } from '../kernel/index.ts'

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 10

/** 50 bits: short enough to type, long enough not to be found by chance. */
export function newReferralCode(random: Random): string {
  return Array.from(random.bytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join('')
}
