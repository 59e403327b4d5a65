import { expect, test } from 'vitest'
import { createSpending } from './spending.ts'

const WISH = { receiver_address: 'T1', resource_amount: 65_000 }

test('purchases at the same time share one limit', () => {
  const spending = createSpending(10n)
  const held = [
    spending.hold('a', WISH, 6n),
    spending.hold('b', WISH, 5n),
    spending.hold('c', WISH, 4n),
  ]
  expect([held, spending.left()]).toEqual([[6n, undefined, 4n], 0n])
})

test('a key counts once, at the price of its first attempt', () => {
  const spending = createSpending(10n)
  spending.hold('a', WISH, 6n)
  spending.ended('a', false)
  expect([spending.hold('a', WISH, 9n), spending.left()]).toEqual([6n, 4n])
})

test('a refused purchase is free again', () => {
  const spending = createSpending(10n)
  spending.hold('a', WISH, 6n)
  spending.ended('a', true)
  expect(spending.left()).toBe(10n)
})

test('a refusal of a key that may have bought gives nothing back', () => {
  const spending = createSpending(10n)
  spending.hold('a', WISH, 6n)
  spending.ended('a', false)
  spending.hold('a', WISH, 6n)
  spending.ended('a', true)
  expect(spending.left()).toBe(4n)
})

test('a key is for one purchase, one call at a time, and less than a day', () => {
  let now = 0
  const spending = createSpending(10n, () => now)
  spending.hold('a', WISH, 6n)
  expect(spending.hold('a', WISH, 6n)).toMatch(/under way/)
  spending.ended('a', false)
  expect(spending.hold('a', { ...WISH, receiver_address: 'T2' }, 6n)).toMatch(/another purchase/)
  expect(spending.hold('a', { ...WISH, resource_amount: 1 }, 6n)).toMatch(/another purchase/)
  now = 24 * 3_600_000
  expect(spending.hold('a', WISH, 6n)).toMatch(/too old/)
})

test('what a person agreed to leaves the limit as it is, for that purchase alone', () => {
  const spending = createSpending(10n)
  spending.allow('a', WISH, 60n)
  spending.ended('a', false)
  expect([spending.hold('a', WISH, 70n), spending.left()]).toEqual([60n, 10n])
  spending.ended('a', false)
  expect(spending.hold('a', { ...WISH, receiver_address: 'T2' }, 70n)).toMatch(/another purchase/)
})
