import { expect, test } from 'vitest'
import type { Clock } from '../kernel/index.ts'
import { createInventory } from './inventory.ts'
import type { MarketRow } from './providers.sql.ts'

let elapsed = 0
const clock = { elapsedMs: () => elapsed } as Clock

const row = (ageMs: number): MarketRow => ({
  provider: 'bazaar',
  unitPrice: 10n,
  capacity: 100n,
  minimum: 0n,
  surchargeBelow: null,
  surcharge: null,
  fillBps: 10_000n,
  ageMs,
  unable: null,
})

function filledAt(ms: number) {
  elapsed = ms
  const inventory = createInventory(clock)
  inventory.fill([row(0)], ms)
  const left = () => inventory.offers()[0]!.capacity
  return { ...inventory, left }
}

test('the same offer read again does not bring back what was sold from it', () => {
  const inventory = filledAt(1_000)
  elapsed = 1_500
  inventory.take('bazaar', 60n).keep()
  expect(inventory.left()).toBe(40n)
  elapsed = 2_000
  inventory.fill([row(1_000)], 2_000)
  expect(inventory.left()).toBe(40n)
})

test('an offer that was read after the sale already contains it', () => {
  const inventory = filledAt(1_000)
  elapsed = 1_500
  inventory.take('bazaar', 60n).keep()
  elapsed = 2_000
  inventory.fill([row(400)], 2_000)
  expect(inventory.left()).toBe(100n)
})

test('Energy that is still being sold is not offered, whatever is read', () => {
  const inventory = filledAt(1_000)
  const taken = inventory.take('bazaar', 60n)
  elapsed = 9_000
  inventory.fill([row(0)], 9_000)
  expect(inventory.left()).toBe(40n)
  taken.putBack()
  expect(inventory.left()).toBe(100n)
  taken.putBack()
  expect(inventory.left()).toBe(100n)
})
