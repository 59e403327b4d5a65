import { exactTrx } from '../money.ts'

const DIGITS_MAX = 6
/** From here on 100K is written, because all digits have no room. */
const COMPACT = 100_000
const UNITS: [size: number, unit: string][] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]
const NO_UNIT: [number, string] = [1, '']

/**
 * The figures of a scale, with as many decimals as they need: a rounded one would stand beside the wrong line.
 * By hand: the browser's own number format takes a tenth of a second of a phone to load.
 */
export function axisWords(splits: readonly number[]): string[] {
  const isLarge = splits.some((value) => Math.abs(value) >= COMPACT)
  const unitOf = (value: number) =>
    (isLarge && UNITS.find(([size]) => Math.abs(value) >= size)) || NO_UNIT
  const isExact = (digits: number) =>
    splits.every((value) => {
      const [size] = unitOf(value)
      return isNear(Number((value / size).toFixed(digits)) * size, value)
    })
  let digits = 0
  while (digits < DIGITS_MAX && !isExact(digits)) digits++
  return splits.map((value) => {
    const [size, unit] = unitOf(value)
    return exactTrx((value / size).toFixed(digits)) + unit
  })
}

/** Steps of a scale are sums of floats. */
const isNear = (one: number, other: number) =>
  Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(other), 1)
