import { expect, test } from 'vitest'
import { STANDING_ENERGY } from '../delivery/index.ts'
import { billedClass, type CoveredCall } from './coveredCall.ts'

const PRICE = 100n
const FULL = STANDING_ENERGY

/** A call that found all its Energy, unless changed by `more`. */
const billed = (energy: bigint, more: Partial<CoveredCall> = {}) => {
  const receipt = { txid: '', block: 1n, time: new Date(0), position: 0n }
  const paid = { result: 'SUCCESS', burned: 0n, feeLimit: 100_000_000n }
  return billedClass({ ...receipt, ...paid, energy, ...more }, PRICE)
}

test('a call of up to 65,000 Energy is 65k, one more is 131k', () => {
  expect(billed(1n)).toBe('65k')
  expect(billed(65_000n)).toBe('65k')
  expect(billed(65_001n)).toBe('131k')
  expect(billed(FULL + 1n)).toBe('131k')
})

test('a call that fits and burned TRX is billed one class lower', () => {
  expect(billed(65_000n, { burned: 1n })).toBeUndefined()
  expect(billed(65_001n, { burned: 1n })).toBe('65k')
  expect(billed(FULL, { burned: 1n })).toBe('65k')
})

test('a call that is larger than the standing Energy burns its own TRX', () => {
  expect(billed(FULL + 1n, { burned: 1n })).toBe('131k')
})

test('out of Energy below its own fee limit is not billed, at the limit it is', () => {
  const out = (energy: bigint, limit: bigint) =>
    billed(energy, { result: 'OUT_OF_ENERGY', feeLimit: limit * PRICE })
  expect(out(60_000n, 60_001n)).toBeUndefined()
  expect(out(60_000n, 60_000n)).toBe('65k')
  expect(out(FULL, FULL + 1n)).toBeUndefined()
  expect(out(FULL + 1n, FULL + 2n)).toBe('131k')
})

test('a call that failed otherwise is billed all the same', () => {
  expect(billed(65_000n, { result: 'REVERT' })).toBe('65k')
})
