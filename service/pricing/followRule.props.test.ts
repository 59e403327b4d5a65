import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followedPriceOf, nextFollowed } from './followRule.ts'
import { priceOf } from './price.ts'

const sun = fc.bigInt({ min: 1n, max: 200n })
const margin = fc.bigInt({ min: 0n, max: 50n })
const bounds = fc.record({ schedule: sun, marginFloor: fc.bigInt({ min: 0n, max: 10n }) })
const amount = fc.bigInt({ min: 1n, max: 5_000_000n })
const discount = fc.bigInt({ min: 0n, max: 10_000n })

test('a followed price is never above the schedule', () => {
  const rule = fc.record({ margin, changeMax: sun })
  fc.assert(
    fc.property(rule, bounds, sun, fc.array(sun, { minLength: 1 }), (terms, at, cost, before) => {
      expect(nextFollowed(terms, at, cost, before) <= at.schedule).toBe(true)
    }),
  )
})

test('it rises within an hour by no more than the rule allows, unless its cost is above that', () => {
  const rule = fc.record({ margin, changeMax: sun })
  fc.assert(
    fc.property(rule, bounds, sun, fc.array(sun, { minLength: 1 }), (terms, at, cost, before) => {
      const next = nextFollowed(terms, at, cost, before)
      const least = before.reduce((a, b) => (a < b ? a : b))
      const rise = next - least
      expect(rise <= terms.changeMax || next <= cost + at.marginFloor).toBe(true)
    }),
  )
})

test('it falls within an hour by no more than the rule allows, unless the schedule is below that', () => {
  const rule = fc.record({ margin, changeMax: sun })
  fc.assert(
    fc.property(rule, bounds, sun, sun, (terms, at, cost, before) => {
      const next = nextFollowed(terms, at, cost, [before])
      expect(before - next <= terms.changeMax || next === at.schedule).toBe(true)
    }),
  )
})

test('an amount costs no more than by the schedule, with the same discount', () => {
  const price = fc.record({ unit: sun, cost: sun })
  fc.assert(
    fc.property(amount, price, bounds, discount, (energy, followed, at, points) => {
      const paid = followedPriceOf(energy, followed, at, points)
      expect(paid <= priceOf(energy, at.schedule, points)).toBe(true)
    }),
  )
})

test('a discount takes a followed price below its cost only where the schedule is there too', () => {
  const price = fc.record({ unit: sun, cost: sun }).filter(({ unit, cost }) => unit >= cost)
  fc.assert(
    fc.property(amount, price, bounds, discount, (energy, followed, at, points) => {
      const paid = followedPriceOf(energy, followed, at, points)
      const listed = priceOf(energy, at.schedule, points)
      expect(paid >= energy * followed.cost || paid === listed).toBe(true)
    }),
  )
})
