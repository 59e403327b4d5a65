const DIGITS_MAX = 6
/** From here on 100K is written, because all digits have no room. */
const COMPACT = 100_000
const UNITS: Record<string, number> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }

/** The figures of a scale, with as many decimals as they need: a rounded one would stand beside the wrong line. */
export function axisWords(splits: readonly number[]): string[] {
  const isLarge = splits.some((value) => Math.abs(value) >= COMPACT)
  const at = (digits: number) => {
    const format = new Intl.NumberFormat('en', {
      notation: isLarge ? 'compact' : 'standard',
      maximumFractionDigits: digits,
    })
    return splits.map((value) => format.format(value))
  }
  const isExact = (words: string[]) => words.every((word, i) => isNear(numberIn(word), splits[i]!))
  const tried = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => digits).map(at)
  return (tried.find(isExact) ?? tried.at(-1)!).map((word) => word.replace('-', '\u2212'))
}

const numberIn = (word: string) =>
  Number(word.replaceAll(/[^\d.-]/g, '')) * (UNITS[word.at(-1)!] ?? 1)

/** Steps of a scale are sums of floats. */
const isNear = (one: number, other: number) =>
  Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(other), 1)
