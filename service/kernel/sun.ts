export { counted, exactTrx, formatTrx, grouped } from '@ergon/contract/trx.ts'

declare const sunBrand: unique symbol

/** An amount of money in SUN, the smallest unit: 1 TRX = 1,000,000 SUN. Never a `number`. */
export type Sun = bigint & { readonly [sunBrand]: true }

const SUN_PER_TRX = 1_000_000n
const SUN_MAX = 2n ** 63n - 1n
const TRX_TEXT = /^(-?)(0|[1-9]\d{0,12})(?:\.(\d{1,6}))?$/

export function sun(amount: bigint): Sun {
  return amount as Sun
}

/** Undefined where the text is not a decimal with at most 6 places, or does not fit 64 bits of SUN. */
export function parseTrx(text: string): Sun | undefined {
  const match = TRX_TEXT.exec(text)
  if (!match) return undefined
  const [, sign, whole = '0', fraction = ''] = match
  const amount = BigInt(whole) * SUN_PER_TRX + BigInt(fraction.padEnd(6, '0'))
  const signed = sign ? -amount : amount
  return signed > SUN_MAX || signed < -SUN_MAX - 1n ? undefined : sun(signed)
}
