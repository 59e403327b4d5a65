import { expect, test } from 'vitest'
import { createSpending } from './spending.ts'

test('purchases at the same time share one limit', () => {
  const spending = createSpending(10n)
  expect([spending.hold('a', 6n), spending.hold('b', 5n), spending.hold('c', 4n)]).toEqual([
    6n,
    undefined,
    4n,
  ])
  expect(spending.left()).toBe(0n)
})

test('a key counts once, at the price of its first attempt', () => {
  const spending = createSpending(10n)
  spending.hold('a', 6n)
  expect([spending.hold('a', 9n), spending.left()]).toEqual([6n, 4n])
})

test('a refused purchase is free again, unless an earlier attempt may have bought it', () => {
  const spending = createSpending(10n)
  spending.hold('a', 6n)
  spending.release('a')
  expect(spending.left()).toBe(10n)
  spending.hold('a', 6n)
  spending.doubt('a')
  spending.release('a')
  expect(spending.left()).toBe(4n)
})

test('what a person agreed to leaves the limit as it is', () => {
  const spending = createSpending(10n)
  spending.allow('a', 60n)
  expect([spending.hold('a', 70n), spending.left()]).toEqual([60n, 10n])
})
