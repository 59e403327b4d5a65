import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Offer } from '../providers/index.ts'
import { costOf, planParts } from './plan.ts'

const offer = (provider: string, given: Partial<Offer> = {}): Offer => ({
  provider,
  unitPrice: 20n,
  capacity: 1_000_000n,
  minimum: 0n,
  surchargeBelow: 0n,
  surcharge: 0n,
  fillBps: 10_000n,
  ...given,
})

const whoCarries = (offers: Offer[], energy: bigint) =>
  planParts(offers, energy)?.map((part) => [part.provider, part.energy])

test('the cheapest that can carry the whole carries it', () => {
  const offers = [offer('a', { unitPrice: 22n }), offer('b', { unitPrice: 18n })]
  expect(whoCarries(offers, 65_000n)).toEqual([['b', 65_000n]])
})

test('a provider that fails every fifth order is as dear as one that asks a quarter more', () => {
  const offers = [offer('a', { unitPrice: 18n, fillBps: 8_000n }), offer('b', { unitPrice: 22n })]
  expect(whoCarries(offers, 65_000n)).toEqual([['b', 65_000n]])
})

test('a surcharge on small orders counts', () => {
  const small = { unitPrice: 18n, surchargeBelow: 50_000n, surcharge: 600_000n }
  const offers = [offer('a', small), offer('b', { unitPrice: 22n })]
  expect(whoCarries(offers, 40_000n)).toEqual([['b', 40_000n]])
  expect(whoCarries(offers, 65_000n)).toEqual([['a', 65_000n]])
})

test('below a minimum the minimum is bought, if nobody sells it cheaper', () => {
  const offers = [offer('a', { unitPrice: 10n, minimum: 65_000n }), offer('b', { unitPrice: 30n })]
  expect(whoCarries(offers, 32_000n)).toEqual([['a', 65_000n]])
  expect(whoCarries(offers, 10_000n)).toEqual([['b', 10_000n]])
})

test('a split leaves everybody at least his minimum', () => {
  const offers = [
    offer('a', { unitPrice: 10n, capacity: 90_000n }),
    offer('b', { unitPrice: 20n, minimum: 65_000n }),
  ]
  expect(whoCarries(offers, 100_000n)).toEqual([
    ['a', 35_000n],
    ['b', 65_000n],
  ])
})

test('not enough together: no plan', () => {
  const offers = [offer('a', { capacity: 50_000n }), offer('b', { capacity: 50_000n })]
  expect(planParts(offers, 100_001n)).toBeUndefined()
})

const anyOffer = fc.record({
  unitPrice: fc.bigInt(1n, 40n),
  capacity: fc.bigInt(0n, 300_000n),
  minimum: fc.constantFrom(0n, 0n, 32_000n, 65_000n),
  surchargeBelow: fc.constantFrom(0n, 50_000n),
  surcharge: fc.constantFrom(0n, 600_000n),
  fillBps: fc.bigInt(8_000n, 10_000n),
})
const market = fc
  .array(anyOffer, { maxLength: 5 })
  .map((offers) => offers.map((one, index) => offer(`p${index}`, one)))

test('a plan covers the amount within what each offers, and is found whenever there is one', () => {
  fc.assert(
    fc.property(market, fc.bigInt(1n, 700_000n), (offers, energy) => {
      const parts = planParts(offers, energy)
      const alone = offers.some(
        ({ capacity, minimum }) => capacity >= (energy > minimum ? energy : minimum),
      )
      if (!parts) {
        expect(alone).toBe(false)
        return
      }
      expect(parts.reduce((sum, part) => sum + part.energy, 0n)).toBeGreaterThanOrEqual(energy)
      for (const part of parts) {
        const { capacity, minimum } = offers.find(({ provider }) => provider === part.provider)!
        expect(part.energy).toBeLessThanOrEqual(capacity)
        expect(part.energy).toBeGreaterThanOrEqual(minimum)
      }
    }),
  )
})

test('with equal fill rates nobody alone is cheaper than the plan', () => {
  fc.assert(
    fc.property(market, fc.bigInt(1n, 300_000n), (unequal, energy) => {
      const offers = unequal.map((one) => ({ ...one, fillBps: 10_000n }))
      const cost = planParts(offers, energy)
      for (const one of offers) {
        const alone = planParts([one], energy)
        if (alone) expect(costOf(cost!)).toBeLessThanOrEqual(costOf(alone))
      }
    }),
  )
})
