import { expect, test } from 'vitest'
import { differenceOf } from './trial.ts'

test('the difference of two means, with 1.96 standard errors on each side', () => {
  // Means 3,000 and 2,000; variances 1,000,000 and 4,000,000; error √(1,000,000÷3 + 4,000,000÷3) = 1,290.99.
  const tried = [2_000n, 3_000n, 4_000n]
  const others = [0n, 2_000n, 4_000n]
  expect(differenceOf(tried, others)).toEqual({ mean: 1_000n, low: -1_531n, high: 3_531n })
})

test('equal accounts leave no doubt, and more of them leave less', () => {
  const [few, many] = [10, 1_000].map((count) => {
    const values = Array.from({ length: count }, (_, place) => BigInt(place % 10) * 1_000_000n)
    return differenceOf(values, values)!
  })
  expect(few!.mean).toBe(0n)
  expect(few!.high).toBeGreaterThan(many!.high * 9n)
  expect(differenceOf([5n, 5n], [3n, 3n])).toEqual({ mean: 2n, low: 1n, high: 3n })
})

test('one account says nothing about the others', () => {
  expect(differenceOf([5n], [3n, 4n])).toBeNull()
})

test('amounts beyond 2^53 stay exact', () => {
  const large = 2n ** 60n
  expect(differenceOf([large, large], [1n, 1n])!.mean).toBe(large - 1n)
})
