const DIGITS_MAX = 6
/** From here on 100K is written, because all digits have no room. */
const COMPACT = 100_000
const UNITS: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }

const formats = new Map<string, Intl.NumberFormat>()
/** Kept: making one takes longer than using it. */
function formatOf(notation: 'compact' | 'standard', maximumFractionDigits: number) {
  const key = `${notation} ${maximumFractionDigits}`
  const format =
    formats.get(key) ?? new Intl.NumberFormat('en', { notation, maximumFractionDigits })
  formats.set(key, format)
  return format
}

/** The figures of a scale, with as many decimals as they need: a rounded one would stand beside the wrong line. */
export function axisWords(splits: readonly number[]): string[] {
  const isLarge = splits.some((value) => Math.abs(value) >= COMPACT)
  const notation = isLarge ? 'compact' : 'standard'
  const isExact = (words: string[]) => words.every((word, i) => isNear(numberIn(word), splits[i]!))
  let words: string[] = []
  for (let digits = 0; digits <= DIGITS_MAX; digits++) {
    words = splits.map((value) => formatOf(notation, digits).format(value))
    if (isExact(words)) break
  }
  return words.map((word) => word.replace('-', '\u2212'))
}

const numberIn = (word: string) =>
  Number(word.replaceAll(/[^\d.-]/g, '')) * (UNITS[word.at(-1)!] ?? 1)

/** Steps of a scale are sums of floats. */
const isNear = (one: number, other: number) =>
  Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(other), 1)
