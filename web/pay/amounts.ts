import type { PayLanguage } from '@ergon/contract'

const SUN_PER_TRX = 1_000_000n

/** Decimal TRX as wallets accept it in any language: a point, and no trailing zeros. */
export function trx(sun: bigint): string {
  const part = (sun % SUN_PER_TRX).toString().padStart(6, '0').replace(/0+$/, '')
  return `${sun / SUN_PER_TRX}${part && `.${part}`}`
}

/** Groups thousands by a comma, or by a space where a comma is the decimal sign. */
export function grouped(amount: bigint, language: PayLanguage): string {
  const sign = language === 'en' || language === 'zh' ? ',' : '\u00a0'
  return amount.toString().replace(/\B(?=(\d{3})+$)/g, sign)
}

/** Replaces the names in braces of a message by values. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
}
