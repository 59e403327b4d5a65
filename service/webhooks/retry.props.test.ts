import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RETRY_MS, readRetryAfter, retryDelayMs } from './retry.ts'

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('the schedule is 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, 24 h, 24 h', () => {
  const seconds = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400]
  expect(RETRY_MS.map((ms) => ms / 1_000)).toEqual(seconds)
  expect(retryDelayMs(seconds.length + 1, 0.5, undefined)).toBeUndefined()
})

test('a pause is within 20 % of the schedule', () => {
  const attempt = fc.integer({ min: 1, max: RETRY_MS.length })
  fc.assert(
    fc.property(attempt, chance, (failed, luck) => {
      const base = RETRY_MS[failed - 1]!
      const delay = retryDelayMs(failed, luck, undefined)!
      expect(delay).toBeGreaterThanOrEqual(base * 0.8)
      expect(delay).toBeLessThanOrEqual(base * 1.2)
    }),
  )
})

test('Retry-After counts between once and twice the pause', () => {
  const attempt = fc.integer({ min: 1, max: RETRY_MS.length })
  fc.assert(
    fc.property(attempt, chance, fc.nat(400_000_000), (failed, luck, asked) => {
      const pause = retryDelayMs(failed, luck, undefined)!
      const delay = retryDelayMs(failed, luck, asked)!
      expect(delay).toBe(Math.min(Math.max(asked, pause), 2 * pause))
    }),
  )
})

test('Retry-After is seconds or a date; anything else says nothing', () => {
  const now = Date.UTC(2026, 10, 15, 12)
  expect(readRetryAfter('120', now)).toBe(120_000)
  expect(readRetryAfter('Sun, 15 Nov 2026 12:01:00 GMT', now)).toBe(60_000)
  expect(readRetryAfter('Sun, 15 Nov 2026 11:00:00 GMT', now)).toBe(0)
  for (const nonsense of ['', 'soon', '-5', '1e9', null]) {
    const read = readRetryAfter(nonsense, now)
    expect(read === undefined || read >= 0).toBe(true)
  }
  expect(readRetryAfter('soon', now)).toBeUndefined()
})
