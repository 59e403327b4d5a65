// fastjson keeps an object in java's HashMap, so its keys come out in the order of their hashes.
// Clients that compare texts, or sign what they were sent, see it.

/** The same value with the keys of every object in java's order. */
export function hashOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => hashOrder(item)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  let size = 16
  while (entries.length > size * 0.75) size *= 2
  // Sorting is stable: keys of one bucket stay as they were put in.
  const sorted = entries.sort(([a], [b]) => (hash(a) & (size - 1)) - (hash(b) & (size - 1)))
  return Object.fromEntries(sorted.map(([key, item]) => [key, hashOrder(item)])) as T
}

const hashes = new Map<string, number>()

/** String.hashCode, spread as HashMap spreads it. The names of fields are few, so each is kept. */
function hash(key: string): number {
  const known = hashes.get(key)
  if (known !== undefined) return known
  let code = 0
  for (let at = 0; at < key.length; at++) code = (Math.imul(31, code) + key.charCodeAt(at)) | 0
  const spread = code ^ (code >>> 16)
  if (hashes.size < keptMax) hashes.set(key, spread)
  return spread
}

const keptMax = 1_000
