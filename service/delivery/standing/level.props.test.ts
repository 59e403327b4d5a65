import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Measured, STANDING_ENERGY, topUp, trim } from './level.ts'

const used = fc.bigInt(0n, 10_000_000n)
const available = fc.bigInt(1n, 10_000_000n)
const measured = fc
  .tuple(used, available)
  .map(([use, left]): Measured => ({ limit: use + left, used: use }))
const wanted = fc.oneof(fc.constant(STANDING_ENERGY), fc.bigInt(1n, 1_000_000n))

/** As on the chain: used Energy follows the stake in proportion, rounded down. */
function taken({ limit, used: use }: Measured, energy: bigint): Measured {
  return { limit: limit - energy, used: use - (use * energy) / limit }
}

const left = ({ limit, used: use }: Measured) => limit - use

test('after a trim the level is still there, and nothing calls for a top-up', () => {
  fc.assert(
    fc.property(wanted, measured, (want, before) => {
      const energy = trim(want, before)
      fc.pre(energy > 0n)
      const after = taken(before, energy)
      expect(left(after)).toBeGreaterThanOrEqual(want)
      expect(topUp(want, after)).toBe(0n)
    }),
    { numRuns: 2_000 },
  )
})

test('a trim takes at most L − wanted·L ÷ (L − U), and nothing that is used up', () => {
  fc.assert(
    fc.property(wanted, measured, (want, before) => {
      const energy = trim(want, before)
      const { limit } = before
      expect(energy).toBeGreaterThanOrEqual(0n)
      // Without a division: energy ≤ L − wanted·L ÷ (L − U).
      if (energy > 0n) {
        expect((limit - energy) * left(before)).toBeGreaterThanOrEqual(want * limit)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('where there is much too much, the trim takes nearly all of it', () => {
  fc.assert(
    fc.property(measured, (before) => {
      fc.pre(left(before) > 3n * STANDING_ENERGY)
      const after = taken(before, trim(STANDING_ENERGY, before))
      // The margin of one per cent stays, and a unit for each rounding.
      expect(left(after)).toBeLessThanOrEqual((STANDING_ENERGY * 101n) / 100n + 3n)
    }),
  )
})

test('what was trimmed is not trimmed again, and what was topped up is not trimmed', () => {
  fc.assert(
    fc.property(measured, (before) => {
      const trimmed = taken(before, trim(STANDING_ENERGY, before))
      expect(trim(STANDING_ENERGY, trimmed)).toBe(0n)
      const more = topUp(STANDING_ENERGY, before)
      const filled = { ...before, limit: before.limit + more }
      expect(left(filled)).toBeGreaterThanOrEqual(STANDING_ENERGY)
      if (more > 0n) expect(trim(STANDING_ENERGY, filled)).toBe(0n)
    }),
    { numRuns: 2_000 },
  )
})

test('a trim is worth its transaction, or is not made', () => {
  fc.assert(
    fc.property(measured, (before) => {
      const energy = trim(STANDING_ENERGY, before)
      expect(energy === 0n || energy >= STANDING_ENERGY / 10n).toBe(true)
    }),
  )
})

test('where the used Energy is above the limit there is nothing to trim, and all of it to fill', () => {
  expect(trim(STANDING_ENERGY, { limit: 100n, used: 100n })).toBe(0n)
  expect(trim(STANDING_ENERGY, { limit: 100n, used: 50_100n })).toBe(0n)
  expect(topUp(STANDING_ENERGY, { limit: 100n, used: 50_100n })).toBe(182_810n)
})
