import type { HexAddress } from '@ergon/tron'
import { parseAddress } from '@ergon/tron'
import type { Answer } from './http.ts'

// Readers of foreign JSON. They never throw: a missing or invalid value is undefined, and the adapter
// decides what that means.

export type Fields = Record<string, unknown>

/** PHP writes an empty map as []; it has no fields either way. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Text that says something; numbers as ids are read too. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An amount of whole units: a number, a bigint, or either of them as text, also written "65000.0". */
export function wholeOf(value: unknown): bigint | undefined {
  const match = /^(-?\d{1,30})(?:\.0+)?$/.exec(textOf(value) ?? '')
  return match ? BigInt(match[1]!) : undefined
}

/** A TRX amount as a decimal number or text, in SUN; what is below one SUN is cut off. */
export function sunOfTrx(value: unknown): bigint | undefined {
  const exact = decimalOf(value)
  return exact && (exact.digits * 1_000_000n) / 10n ** exact.places
}

/** TRX per 1,000 Energy, as SUN for one Energy, rounded up. */
export function unitPriceOfThousand(value: unknown): bigint | undefined {
  const exact = decimalOf(value)
  return exact && divideUp(exact.digits * 1_000n, 10n ** exact.places)
}

/**
 * A number's shortest text is the text it was parsed from as long as that has at most 15 digits,
 * which any price and any balance of this market has.
 */
function decimalOf(value: unknown): { digits: bigint; places: bigint } | undefined {
  const isSmall = typeof value === 'number' && Math.abs(value) < 1e-6
  const text = isSmall ? value.toFixed(12) : textOf(value)
  const match = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text ?? '')
  if (!match) return undefined
  const [, sign, whole, fraction = ''] = match
  const digits = BigInt(`${whole}${fraction}`)
  return { digits: sign ? -digits : digits, places: BigInt(fraction.length) }
}

export function divideUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

export function least(...amounts: bigint[]): bigint {
  const smallest = amounts.reduce((a, b) => (b < a ? b : a))
  return smallest < 0n ? 0n : smallest
}

const TXID = /^(?:0x)?([0-9a-f]{64})$/i

/** The transaction ids among these values, each once; empty texts and placeholders are passed over. */
export function txidsOf(values: readonly unknown[]): string[] {
  const ids = values.flatMap((value) => {
    const match = typeof value === 'string' ? TXID.exec(value) : undefined
    return match ? [match[1]!.toLowerCase()] : []
  })
  return [...new Set(ids)]
}

/** Is this the receiver we meant? Base58 and hex are both read. */
export function isReceiver(value: unknown, receiver: HexAddress): boolean {
  return typeof value === 'string' && parseAddress(value) === receiver
}

/** The error text of an answer, from the fields that marketplaces use. */
export function complaintOf(answer: Answer): string {
  if (!answer.received) return answer.reason
  const { key, error, sub_code, msg, message, detail } = fieldsOf(answer.json)
  const words = [key, error, sub_code, msg, message, detail].filter(
    (one) => typeof one === 'string',
  )
  return reasonOf(...(words.length > 0 ? words : [`status ${answer.status}`]))
}

/** The answer's text, short enough for a log line and an order's history. */
export function reasonOf(...parts: unknown[]): string {
  const words = parts.flatMap((part) => textOf(part) ?? [])
  return words.join(' ').slice(0, 200) || 'no reason given'
}
