const DECIMALS = 6
const SUN = 1_000_000n

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

/** The parts of a displayed amount: a real minus, grouped digits, and trailing zeros. */
export function partsOf(trx: string, decimals = DECIMALS) {
  const negative = trx.startsWith('-')
  const [whole = '0', fraction = ''] = trx.replace('-', '').split('.')
  const zeros = '0'.repeat(Math.max(decimals - fraction.length, 0))
  return { sign: negative ? '\u2212' : '', whole: grouped(whole), fraction, zeros }
}

/** A number with its noun: 1 hour, 2 hours. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}
