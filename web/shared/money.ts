import { exactTrx, formatTrx } from '@ergon/contract/trx.ts'

export { counted, exactTrx, grouped } from '@ergon/contract/trx.ts'

/** Millionths of a TRX as the API's decimal. */
export const trxOf = formatTrx

const DECIMALS = 6
const SUN = 1_000_000n
/** Decimals of an amount that is read, not sent; of one below 1, the digits after its zeros. */
const SHOWN = 3

/** A decimal of the API in millionths; undefined for any other text. */
export function sunOf(trx: string): bigint | undefined {
  const [, minus, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(trx) ?? []
  if (whole === undefined) return undefined
  const sun = BigInt(whole) * SUN + BigInt(fraction.padEnd(DECIMALS, '0'))
  return minus ? -sun : sun
}

/** An amount as people read it: three decimals at most, and of a small one three digits. */
export function readableTrx(trx: string): string {
  const sun = sunOf(trx)
  if (sun === undefined) return exactTrx(trx)
  const size = sun < 0n ? -sun : sun
  const zeros = size < SUN ? DECIMALS - String(size).length : 0
  const step = 10n ** BigInt(Math.max(DECIMALS - SHOWN - zeros, 0))
  const rounded = ((size + step / 2n) / step) * step
  return exactTrx(trxOf(sun < 0n ? -rounded : rounded))
}

/** TRX as a float, for sizes of drawings only. */
export const drawnTrx = (trx: string) => Number(sunOf(trx) ?? 0n) / Number(SUN)
