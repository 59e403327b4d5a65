/** Amounts in SUN whose name does not end in _sun. */
const UNNAMED_SUN = new Set(['current_balance', 'required_amount'])

function isSun(name: string): boolean {
  return name.endsWith('_sun') || UNNAMED_SUN.has(name)
}

// Matches a string and, if it is the name of a member, the integer after it. Strings are matched
// whole, so text inside one is never changed.
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:\s*)?(?:(-?\d+)(?![\d.eE]))?/g

/**
 * Reads an answer without rounding money: JSON.parse would round an amount above 2^53. Members
 * named *_sun become bigint, small or large; every other number stays a number. (Revivers with
 * the source text are not in Node 20.)
 */
export function parseJson(text: string): unknown {
  const quoted = text.replace(STRINGS, (all, name: string, colon?: string, integer?: string) =>
    colon !== undefined && integer !== undefined && isSun(name)
      ? `"${name}"${colon}"${integer}"`
      : all,
  )
  return JSON.parse(quoted, (name, value) =>
    isSun(name) && typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value,
  )
}

/** Throws for integers above 2^53 - 1: the service refuses them, and JSON would round them. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (name, field) => {
    if (typeof field !== 'bigint') return field
    if (BigInt.asIntN(54, field) !== field) {
      throw new RangeError(`${name} is ${field}; the service takes integers below 2^53`)
    }
    return Number(field)
  })
}
