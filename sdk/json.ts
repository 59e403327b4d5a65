/** Amounts in SUN whose name does not say so. */
const UNNAMED_SUN = new Set(['current_balance', 'required_amount'])

function isSun(name: string): boolean {
  return name.endsWith('_sun') || UNNAMED_SUN.has(name)
}

// A string, and when it is the name of a member, the integer behind it. Strings are matched whole,
// so what looks like a member inside one is never touched.
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:\s*)?(?:(-?\d+)(?![\d.eE]))?/g

/**
 * Reads an answer without rounding money: JSON.parse would take an amount above 2^53 through a
 * float. Members named *_sun become bigint whatever their size, every other number stays a number.
 * (Revivers that see the source text are younger than Node 20.)
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

/** Requests take integers up to 2^53 - 1 and no larger ones: refusing here beats rounding there. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (name, field) => {
    if (typeof field !== 'bigint') return field
    if (BigInt.asIntN(54, field) !== field) {
      throw new RangeError(`${name} is ${field}; the service takes integers below 2^53`)
    }
    return Number(field)
  })
}
