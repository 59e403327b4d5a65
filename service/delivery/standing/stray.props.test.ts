import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeUse, strayOf } from './stray.ts'

const DAY_MS = 86_400_000
const start = new Date('2026-11-15T00:00:00Z')
const energy = fc.bigInt(0n, 5_000_000n)
const moments = fc
  .tuple(fc.integer({ min: 0, max: 2 * DAY_MS }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([passed, share]) => ({ passed, call: Math.floor(passed * share) }))

/** As the chain does it: use comes back in a straight line, at the latest within a day. */
function leftOf(used: bigint, passedMs: number, windowMs: number): bigint {
  return passedMs >= windowMs ? 0n : (used * BigInt(windowMs - passedMs)) / BigInt(windowMs)
}

test('what the address used itself is never astray, whenever it is looked at', () => {
  fc.assert(
    fc.property(
      energy,
      energy,
      moments,
      fc.integer({ min: 1, max: DAY_MS }),
      (used, taken, { passed, call }, windowMs) => {
        const atCall = leftOf(used, call, windowMs) + taken
        const now = leftOf(atCall, passed - call, DAY_MS)
        const at = new Date(start.getTime() + passed)
        expect(strayOf({ used, usedAt: start, explained: taken }, { used: now, at })).toBe(0n)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('what others took is astray, at once and beside calls of the address', () => {
  fc.assert(
    fc.property(energy, energy, fc.bigInt(20_000n, 5_000_000n), (used, taken, others) => {
      const now = { used: used + taken + others, at: start }
      const found = strayOf({ used, usedAt: start, explained: taken }, now)
      expect(found).toBe(others > 500n + used / 500n ? others : 0n)
    }),
  )
})

test('use that is kept up at the rate at which it comes back is astray', () => {
  const at = new Date(start.getTime() + DAY_MS / 48)
  expect(
    strayOf({ used: 1_300_000n, usedAt: start, explained: 0n }, { used: 1_300_000n, at }),
  ).toBe(27_083n)
})

test('a call that the node shows before it is read is suspected, and cleared when it has been', () => {
  const row = { used: 0n, usedAt: start, explained: 0n, suspectUsed: null, suspectAt: null }
  const shown = { used: 64_285n, at: start }
  expect(judgeUse(row, shown)).toMatchObject({ is: 'suspect', stray: 0n })
  const suspected = { ...row, suspectUsed: 64_285n, suspectAt: start }
  const soon = { used: 64_285n, at: new Date(start.getTime() + 3_000) }
  expect(judgeUse(suspected, soon)).toMatchObject({ is: 'waiting', stray: 0n })
  const later = { used: 64_200n, at: new Date(start.getTime() + 30_000) }
  const read = { ...suspected, explained: 64_285n }
  expect(judgeUse(read, later)).toMatchObject({ is: 'judged', stray: 0n })
  expect(judgeUse(suspected, later)).toMatchObject({ is: 'judged', stray: 64_285n })
})

test('a node that lags behind us shows a call later than we read it: nobody else’s use', () => {
  const row = { used: 0n, usedAt: start, explained: 64_285n, suspectUsed: null, suspectAt: null }
  const lagging = judgeUse(row, { used: 0n, at: start })
  expect(lagging).toEqual({ is: 'judged', stray: 0n, unseen: 64_285n })
  const after = { ...row, explained: lagging.unseen }
  expect(judgeUse(after, { used: 64_285n, at: start })).toEqual({
    is: 'judged',
    stray: 0n,
    unseen: 0n,
  })
})
