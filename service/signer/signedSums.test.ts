import { expect, test } from 'vitest'
import { readSettings } from '../kernel/index.ts'
import { capsOf, createSignedSums } from './signedSums.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BEGIN = 1_800_000_000_000

test('after the clock was set back an amount counts as long as the last minute before that', () => {
  let now = BEGIN
  const sums = createSignedSums(() => now, capsOf(readSettings({})))
  const signed = (at: number) => {
    now = at
    return sums.limits().payout.hour.signed
  }
  for (const minute of [0, 10, 20, 30]) {
    now = BEGIN + minute * MINUTE_MS
    sums.add('payout', 1n)
  }
  now = BEGIN + 5 * MINUTE_MS
  sums.add('payout', 100n)
  // The minutes 0, 10 and 20 expire one after the other; the last addition stays.
  expect(signed(BEGIN + MINUTE_MS + HOUR_MS)).toBe(103n)
  expect(signed(BEGIN + 11 * MINUTE_MS + HOUR_MS)).toBe(102n)
  expect(signed(BEGIN + 21 * MINUTE_MS + HOUR_MS)).toBe(101n)
  expect(signed(BEGIN + 31 * MINUTE_MS + HOUR_MS - 1)).toBe(101n)
  expect(signed(BEGIN + 31 * MINUTE_MS + HOUR_MS)).toBe(0n)
})
