import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeUse, strayOf } from './stray.ts'

const DAY_MS = 86_400_000
const start = new Date('2026-11-15T00:00:00Z')
const energy = fc.bigInt(0n, 5_000_000n)
const calls = fc.array(
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), taken: fc.nat(5_000_000) }),
  { maxLength: 5 },
)

type Usage = { used: number; windowMs: number }

/** As the chain does it: use comes back in a straight line within its window. */
function later({ used, windowMs }: Usage, ms: number): Usage {
  if (ms >= windowMs) return { used: 0, windowMs: DAY_MS }
  return { used: (used * (windowMs - ms)) / windowMs, windowMs: windowMs - ms }
}

/** The new window is the mean of what is left of the old one and a day, by what each has used. */
function called({ used, windowMs }: Usage, taken: number): Usage {
  const sum = used + taken
  const mean = sum > 0 ? (used * windowMs + taken * DAY_MS) / sum : DAY_MS
  return { used: sum, windowMs: mean }
}

function useAfter(before: Usage, passedMs: number, made: { share: number; taken: number }[]) {
  let usage = before
  let atMs = 0
  for (const { share, taken } of made.toSorted((a, b) => a.share - b.share)) {
    usage = called(later(usage, share * passedMs - atMs), taken)
    atMs = share * passedMs
  }
  return later(usage, passedMs - atMs).used
}

test('what the address used itself is never astray, whenever it is looked at', () => {
  fc.assert(
    fc.property(
      fc.nat(5_000_000),
      // Most of the time a day, as it is after fresh use.
      fc.oneof(fc.constant(DAY_MS), fc.integer({ min: 1, max: DAY_MS })),
      fc.nat(2 * DAY_MS),
      calls,
      (used, windowMs, passedMs, made) => {
        const now = useAfter({ used, windowMs }, passedMs, made)
        const at = new Date(start.getTime() + passedMs)
        const explained = BigInt(made.reduce((sum, { taken }) => sum + taken, 0))
        const account = { used: BigInt(used), usedAt: start, explained }
        expect(strayOf(account, { used: BigInt(Math.ceil(now)), at })).toBe(0n)
      },
    ),
    {
      numRuns: 5_000,
      examples: [[4_913_623, DAY_MS, 86_506_253, [{ share: 0.815, taken: 376_049 }]]],
    },
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
