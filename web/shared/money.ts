const DECIMALS = 6
const SUN = 1_000_000n
/** Decimals of an amount that is read, not sent; of one below 1, the digits after its zeros. */
const SHOWN = 3

/** Millionths of a TRX as the API's decimal. */
export function trxOf(sun: bigint): string {
  const size = sun < 0n ? -sun : sun
  const fraction = String(size % SUN)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '')
  return `${sun < 0n ? '-' : ''}${size / SUN}${fraction && `.${fraction}`}`
}

/** A decimal of the API in millionths; undefined for any other text. */
export function sunOf(trx: string): bigint | undefined {
  const [, minus, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(trx) ?? []
  if (whole === undefined) return undefined
  const sun = BigInt(whole) * SUN + BigInt(fraction.padEnd(DECIMALS, '0'))
  return minus ? -sun : sun
}

export function grouped(whole: string | number | bigint): string {
  return String(whole).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** All digits of an amount, with a real minus and separated thousands: 1,278.132456. */
export function exactTrx(trx: string): string {
  const [whole = '0', fraction = ''] = trx.replace('-', '').split('.')
  const digits = fraction.replace(/0+$/, '')
  return `${trx.startsWith('-') ? '\u2212' : ''}${grouped(whole)}${digits && `.${digits}`}`
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

/** A number with its noun: 1 hour, 2 hours. */
export function counted(count: number | bigint, what: string): string {
  return `${grouped(count)} ${what}${Number(count) === 1 ? '' : 's'}`
}
