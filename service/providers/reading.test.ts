import { expect, test } from 'vitest'
import { isReceiver, sunOfTrx, txidsOf, unitPriceOfThousand, wholeOf } from './reading.ts'

test.each([
  [65_000, 65_000n],
  ['65000', 65_000n],
  ['65000.0', 65_000n],
  [9007199254740993n, 9007199254740993n],
  [0, 0n],
  ['', undefined],
  [null, undefined],
  [0.5, undefined],
  ['6.5', undefined],
  ['abc', undefined],
  [{}, undefined],
])('wholeOf(%s) is %s', (value, amount) => {
  expect(wholeOf(value)).toBe(amount)
})

test.each([
  [1.95, 1_950_000n],
  ['1.95', 1_950_000n],
  [0.1, 100_000n],
  [123456789.123456, 123_456_789_123_456n],
  ['0.0000019', 1n],
  [1e-7, 0n],
  [7, 7_000_000n],
  ['', undefined],
  [Number.NaN, undefined],
])('sunOfTrx(%s) is %s SUN', (value, sun) => {
  expect(sunOfTrx(value)).toBe(sun)
})

test('a price for a thousand Energy is rounded up to whole SUN', () => {
  expect(unitPriceOfThousand(0.03)).toBe(30n)
  expect(unitPriceOfThousand('0.0301')).toBe(31n)
})

test('transaction ids are read once each, without prefixes and placeholders', () => {
  const id = 'ab'.repeat(32)
  expect(txidsOf([id, `0x${id.toUpperCase()}`, '', null, 'pending', 7])).toEqual([id])
})

test('a receiver is known in base58 and in hex', () => {
  const hex = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'
  expect(isReceiver('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', hex)).toBe(true)
  expect(isReceiver(hex.toUpperCase(), hex)).toBe(true)
  expect(isReceiver('TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', hex)).toBe(false)
  expect(isReceiver(undefined, hex)).toBe(false)
})
