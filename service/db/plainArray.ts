/**
 * A list as PostgreSQL writes it, of values in which nothing needs a quote: ids, numbers, moments,
 * words of our own. pg would look into every element for what to escape, which costs more than the
 * rest of the call.
 */
export function plainArray(values: readonly unknown[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}
