import { parseJson } from '@ergon/tron'

/** A whole number as a JSON number or text. */
export function whole(value: unknown): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^\d{1,12}$/.test(text) ? BigInt(text) : undefined
}

/** The fields of a JSON body; none when it is not an object. */
export function objectOf(body: string): Record<string, unknown> {
  try {
    return Object(parseJson(body)) as Record<string, unknown>
  } catch {
    return {}
  }
}
