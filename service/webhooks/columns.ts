/**
 * Array columns as PostgreSQL text. The driver quotes every element, which costs more than all other
 * work of a write; these values need no quotes.
 */

/** For ids, numbers and state names. */
export function plainColumn(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

/** JSON has no such character outside of escapes, so it can stand between two of them; the statement splits there. */
const BETWEEN = '\x1e'

export function jsonColumn(values: readonly string[]): string {
  return values.join(BETWEEN)
}
