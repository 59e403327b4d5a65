import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTrx, parseTrx, sun } from './sun.ts'

const INT64_MAX = 2n ** 63n - 1n
const amounts = fc.bigInt({ min: -INT64_MAX - 1n, max: INT64_MAX })
const CANONICAL = /^-?(0|[1-9]\d*)(\.\d{0,5}[1-9])?$/

test('every 64-bit amount survives being written and read', () => {
  fc.assert(fc.property(amounts, (amount) => parseTrx(formatTrx(amount)) === amount))
})

test('an amount is written one way only: no exponent, no trailing zero, a digit before the point', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const text = formatTrx(amount)
      expect(text).toMatch(CANONICAL)
      expect(text).not.toBe('-0')
      expect(formatTrx(parseTrx(text)!)).toBe(text)
    }),
  )
})

test('writing keeps the order of positive amounts of equal length', () => {
  const digits = fc.bigInt({ min: 10n ** 12n, max: 10n ** 13n - 1n })
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const whole = (amount: bigint) => BigInt(formatTrx(amount).split('.')[0]!)
      expect(whole(a) <= whole(b) || a > b).toBe(true)
    }),
  )
})

test.each([
  [0n, '0'],
  [500_000n, '0.5'],
  [12_000_000n, '12'],
  [-2_860_000n, '-2.86'],
  [-1n, '-0.000001'],
  [1n, '0.000001'],
  [9_007_199_254_740_993n, '9007199254.740993'],
  [INT64_MAX, '9223372036854.775807'],
])('%d SUN is %s TRX', (amount, text) => {
  expect(formatTrx(amount)).toBe(text)
  expect(parseTrx(text)).toBe(sun(amount))
})

test.each([
  '',
  ' 1',
  '1 ',
  '+1',
  '1.',
  '.5',
  '01',
  '1e6',
  '1,5',
  '0x10',
  '1.0000001',
  'NaN',
  'Infinity',
  '--1',
  '１',
  '9223372036854.775808',
  '-9223372036854.775809',
  '99999999999999',
])('"%s" is not an amount of TRX', (text) => {
  expect(parseTrx(text)).toBeUndefined()
})

test('text that is not canonical is read when it is exact', () => {
  expect(parseTrx('1.50')).toBe(1_500_000n)
  expect(parseTrx('-0')).toBe(0n)
})
