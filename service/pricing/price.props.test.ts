import fc from 'fast-check'
import { expect, test } from 'vitest'
import { priceOf, unitPriceAt } from './price.ts'

const amount = fc.bigInt({ min: 1n, max: 2n ** 53n })
const unitPrice = fc.bigInt({ min: 1n, max: 10_000n })
const discount = fc.bigInt({ min: 0n, max: 10_000n })

test('without a discount the price is amount times unit price, exactly', () => {
  fc.assert(
    fc.property(amount, unitPrice, (energy, unit) => {
      expect(priceOf(energy, unit, 0n)).toBe(energy * unit)
    }),
  )
})

test('a discounted price is the exact fraction rounded up, never by a whole SUN', () => {
  fc.assert(
    fc.property(amount, unitPrice, discount, (energy, unit, points) => {
      const exact = energy * unit * (10_000n - points)
      const price = priceOf(energy, unit, points) * 10_000n
      expect(price >= exact && price - exact < 10_000n).toBe(true)
    }),
  )
})

test('the price of two halves is never below the price of the whole', () => {
  fc.assert(
    fc.property(amount, amount, unitPrice, discount, (one, two, unit, points) => {
      const halves = priceOf(one, unit, points) + priceOf(two, unit, points)
      expect(halves >= priceOf(one + two, unit, points)).toBe(true)
    }),
  )
})

test('a larger discount never costs more, a larger amount never less', () => {
  fc.assert(
    fc.property(amount, amount, unitPrice, discount, discount, (one, more, unit, p1, p2) => {
      const [low, high] = p1 < p2 ? [p1, p2] : [p2, p1]
      expect(priceOf(one, unit, high) <= priceOf(one, unit, low)).toBe(true)
      expect(priceOf(one + more, unit, low) >= priceOf(one, unit, low)).toBe(true)
    }),
  )
})

test('the unit price is that of the UTC hour, to the last millisecond', () => {
  const schedule = Array.from({ length: 24 }, (_, hour) => BigInt(hour + 1))
  const terms = { schedule, minAmount: 1n, maxAmount: 2n, marginFloor: 0n }
  const at = (time: string) => unitPriceAt(terms, new Date(`2026-11-14T${time}Z`))
  expect(at('00:00:00.000')).toBe(1n)
  expect(at('00:59:59.999')).toBe(1n)
  expect(at('01:00:00.000')).toBe(2n)
  expect(at('23:59:59.999')).toBe(24n)
})
