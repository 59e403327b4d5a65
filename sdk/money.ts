const SUN_PER_TRX = 1_000_000n
const TRX_TEXT = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/

/** '1.95' is 1950000n. Throws if it is not a decimal with at most 6 places. */
export function trxToSun(trx: string): bigint {
  const match = TRX_TEXT.exec(trx)
  if (!match) throw new RangeError(`"${trx}" is not a decimal with at most 6 places`)
  const [, sign, whole = '0', fraction = ''] = match
  const amount = BigInt(whole) * SUN_PER_TRX + BigInt(fraction.padEnd(6, '0'))
  return sign ? -amount : amount
}

/** 1950000n is '1.95', as the service writes it. */
export function sunToTrx(sun: bigint): string {
  const digits = (sun < 0n ? -sun : sun).toString().padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${sun < 0n ? '-' : ''}${digits.slice(0, -6)}${fraction && `.${fraction}`}`
}
