// Finds a number of 16 digits or more, which may be above 2^53, where a JSON number can occur.
// Blocks are full of hex with long runs of zeros, and the reviver that keeps big integers costs
// several times a plain parse. Checking one character before it is enough, and five times as fast
// as checking all whitespace.
const longInteger = /[\s:,[]-?\d{16}/
// Wallets often write nanoseconds into the `timestamp` of a transaction.
const longOther = { timestamp: /(?:[\s,[]|(?<![{,]"timestamp"):)-?\d{16}/ }
const isLongInteger = /^-?\d{16}/
const integer = /^-?\d+$/

// In V8 since Node 21; TypeScript's own declarations do not have them yet.
type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown
const json = JSON as unknown as {
  parse(text: string, reviver: SourceReviver): unknown
  rawJSON(text: string): unknown
}

/** The name of a field whose integers the caller does not read. */
export type Unread = keyof typeof longOther

/**
 * JSON.parse without loss of integers: an unsafe integer becomes a bigint. `unread` fields may lose
 * digits, because a single long integer would make the whole block slow to parse.
 */
export function parseJson(text: string, unread?: Unread): unknown {
  const long = unread === undefined ? longInteger : longOther[unread]
  if (!long.test(text) && !isLongInteger.test(text)) return JSON.parse(text)
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(context.source ?? '')
      ? BigInt(context.source ?? '')
      : value,
  )
}

/** JSON.stringify that writes a bigint as an integer. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? json.rawJSON(item.toString()) : item,
  )
}
