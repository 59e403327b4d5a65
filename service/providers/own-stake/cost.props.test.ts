import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costAtFullUse, costOfAll, costOfStake, type StakeUse, yieldOf } from './cost.ts'

const amount = (max: bigint) => fc.bigInt({ min: 0n, max })
const use = fc.record({
  seconds: fc.bigInt({ min: 0n, max: 90n * 86_400n }),
  staked: amount(10n ** 16n),
  perDay: amount(10n ** 12n),
  standing: amount(10n ** 12n),
  orders: amount(10n ** 13n),
  fees: amount(10n ** 13n),
})
const terms = fc.record({
  yieldBps: fc.bigInt({ min: 1n, max: 10_000n }),
  floorBps: fc.bigInt({ min: 100n, max: 10_000n }),
  days: fc.bigInt({ min: 1n, max: 90n }),
})

const WEEK = 7n * 86_400n
/** A million TRX that produce 9.5 million Energy a day: docs/decisions/0092-cost-of-own-stake.md works with it. */
const MILLION: StakeUse = {
  seconds: WEEK,
  staked: 1_000_000_000_000n,
  perDay: 9_500_000n,
  standing: 0n,
  orders: 0n,
  fees: 0n,
}
const TERMS = { yieldBps: 500n, floorBps: 8_000n, days: 7n }

test('the unit covers yield and fees when the expected Energy is sold, and no more than one SUN per Energy beyond', () => {
  fc.assert(
    fc.property(use, terms, (one, by) => {
      const { unit, expected, yielded, fees } = costOfStake(one, by)
      if (unit === undefined) {
        expect(expected).toBe(0n)
        return
      }
      expect(unit * expected).toBeGreaterThanOrEqual(yielded + fees)
      expect(unit === 1n || (unit - 1n) * expected < yielded + fees).toBe(true)
    }),
  )
})

test('what sells nothing costs no more than the whole cost over the floor, whatever happened', () => {
  fc.assert(
    fc.property(use, terms, (one, by) => {
      const idle = costOfStake({ ...one, orders: 0n, standing: 0n }, by)
      const full = costOfStake({ ...one, orders: idle.produced, standing: 0n }, by)
      if (idle.unit === undefined || full.unit === undefined) return
      expect(idle.unit).toBeLessThanOrEqual((full.unit * 10_000n) / by.floorBps + 1n)
    }),
  )
})

test('more sold is never dearer, a higher yield never cheaper, and there is no zero', () => {
  fc.assert(
    fc.property(use, terms, amount(10n ** 12n), (one, by, more) => {
      const cost = costOfStake(one, by).unit
      if (cost === undefined) return
      expect(cost).toBeGreaterThan(0n)
      expect(costOfStake({ ...one, orders: one.orders + more }, by).unit).toBeLessThanOrEqual(cost)
      const dearer = { ...by, yieldBps: by.yieldBps + 1n }
      expect(costOfStake(one, dearer).unit).toBeGreaterThanOrEqual(cost)
    }),
  )
})

test('the cost of all stakes lies between the cheapest and the dearest of them', () => {
  fc.assert(
    fc.property(fc.array(use, { minLength: 1, maxLength: 5 }), terms, (many, by) => {
      const costs = many.map((one) => costOfStake(one, by))
      const units = costs.flatMap(({ unit, expected }) => (unit && expected > 0n ? unit : []))
      const all = costOfAll(costs)
      if (units.length === 0) {
        expect(all).toBeUndefined()
        return
      }
      const sorted = units.toSorted((a, b) => (a < b ? -1 : 1))
      expect(all! >= sorted[0]! && all! <= sorted.at(-1)!).toBe(true)
    }),
  )
})

test('the figures of the decision page', () => {
  const fees = (orders: bigint) => (orders / 65_000n) * 575_000n
  const at = (orders: bigint) => costOfStake({ ...MILLION, orders, fees: fees(orders) }, TERMS)
  const produced = 66_500_000n
  expect(at(0n)).toMatchObject({ produced, expected: 53_200_000n, unit: 19n })
  expect(yieldOf(MILLION.staked, 500n, WEEK)).toBe(958_904_109n)
  expect(at(produced / 2n)).toMatchObject({ expected: 53_200_000n, unit: 24n })
  expect(at(produced)).toMatchObject({ expected: produced, unit: 24n })
  const withoutFees = (orders: bigint) => costOfStake({ ...MILLION, orders }, TERMS).unit
  const shares = [0n, produced / 2n, produced, 2n * produced]
  expect(shares.map(withoutFees)).toEqual([19n, 19n, 15n, 8n])
  expect(at(2n * produced)).toMatchObject({ expected: 2n * produced, unit: 17n })
})

test('before a day of history it is the yield over full production, for the first offer and the first costing alike', () => {
  const young = { ...MILLION, seconds: 86_399n, fees: 10n ** 9n, orders: 1n }
  expect(costOfStake(young, TERMS)).toMatchObject({ seconds: 0n, unit: 15n })
  const totals = { energyLimit: 95n, energyWeight: 10n }
  expect(costAtFullUse(500n, totals)).toBe(15n)
  expect(costAtFullUse(500n, { energyLimit: 0n, energyWeight: 10n })).toBeUndefined()
})

test('standing Energy counts as sold for as long as it stands', () => {
  const standing = costOfStake({ ...MILLION, standing: 9_000_000n }, TERMS)
  expect(standing).toMatchObject({ sold: 63_000_000n, expected: 63_000_000n, unit: 16n })
})
