/** SUN as TRX, the canonical decimal of decisions.md: no exponent, no trailing zeros, a digit before the point. */
export function formatTrx(amount: bigint): string {
  const negative = amount < 0n
  const digits = (negative ? -amount : amount).toString().padStart(7, '0')
  const whole = digits.slice(0, -6)
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
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

/** A number with its noun: 1 hour, 2 hours, 3 addresses. */
export function counted(count: number | bigint, what: string): string {
  const ending = what.endsWith('s') ? 'es' : 's'
  return `${grouped(count)} ${what}${Number(count) === 1 ? '' : ending}`
}
