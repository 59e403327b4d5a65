/**
 * Columns of a batch as PostgreSQL reads them. The driver quotes every element of an array by itself,
 * which costs more than all the rest of writing it; what stands here needs no quotes.
 */

/** Ids, numbers and our own words for states. */
export function plainColumn(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

/** JSON has no such character outside of escapes, so it can stand between two of them; the statement splits there. */
const BETWEEN = '\x1e'

export function jsonColumn(values: readonly string[]): string {
  return values.join(BETWEEN)
}
