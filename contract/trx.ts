/** SUN as TRX, the canonical decimal of decisions.md: no exponent, no trailing zeros, a digit before the point. */
export function formatTrx(amount: bigint): string {
  const negative = amount < 0n
  const digits = (negative ? -amount : amount).toString().padStart(7, '0')
  const whole = digits.slice(0, -6)
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}
