import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Account, judgeUse, NEVER_LOOKED, type Use, unexplained } from './stray.ts'

const DAY_MS = 86_400_000
const start = new Date('2026-11-15T00:00:00Z')
const energy = fc.bigInt(0n, 5_000_000n)
const calls = fc.array(
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), taken: fc.nat(5_000_000) }),
  { maxLength: 5 },
)

const SOON_MS = 3_000
const LEVEL = 131_000n
const SETTLED_MS = 30_000

/** An address whose use was explained at the start, and the use of its calls since. */
const counted = (used: bigint, explained = 0n, explainedAt = start): Account => ({
  ...NEVER_LOOKED,
  used,
  usedAt: start,
  explained,
  paidFor: explained < LEVEL ? explained : LEVEL,
  explainedAt,
  beganBlock: 1n,
  judgedBlock: 1n,
  judgedAt: start,
})
const shown = (used: bigint, afterMs = 0): Use => ({
  used,
  at: new Date(start.getTime() + afterMs),
  block: 2n,
  isCurrent: true,
})

type Usage = { used: number; windowMs: number }

/** As on the chain: usage recovers linearly within its window. */
function later({ used, windowMs }: Usage, ms: number): Usage {
  if (ms >= windowMs) return { used: 0, windowMs: DAY_MS }
  return { used: (used * (windowMs - ms)) / windowMs, windowMs: windowMs - ms }
}

/** The new window is the mean of the rest of the old one and a day, weighted by usage. */
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
      // Mostly a day, as after fresh use.
      fc.oneof(fc.constant(DAY_MS), fc.integer({ min: 1, max: DAY_MS })),
      fc.nat(2 * DAY_MS),
      calls,
      (used, windowMs, passedMs, made) => {
        const now = useAfter({ used, windowMs }, passedMs, made)
        const explained = BigInt(made.reduce((sum, { taken }) => sum + taken, 0))
        const look = shown(BigInt(Math.ceil(now)), passedMs)
        const { isOpen, stray, next } = judgeUse(counted(BigInt(used), explained), look)
        expect([stray, next.suspectUsed]).toEqual([0n, null])
        // A younger call may only delay the top-up.
        if (passedMs >= SETTLED_MS) expect(isOpen).toBe(false)
      },
    ),
    {
      numRuns: 5_000,
      examples: [[4_913_623, DAY_MS, 86_506_253, [{ share: 0.815, taken: 376_049 }]]],
    },
  )
})

test('what others took is not explained, at once and beside calls of the address', () => {
  fc.assert(
    fc.property(energy, energy, fc.bigInt(20_000n, 5_000_000n), (used, taken, others) => {
      const account = counted(used, taken)
      const look = shown(used + taken + others)
      expect(unexplained(account, look)).toBe(others)
      expect(judgeUse(account, look).isOpen).toBe(true)
    }),
  )
})

test('use that is kept up at the rate at which it comes back is not explained', () => {
  expect(unexplained(counted(1_300_000n), shown(1_300_000n, DAY_MS / 48))).toBe(27_083n)
})

test('after a day without a look others’ use still shows, also beside a call of the address', () => {
  expect(unexplained(counted(100_000n), shown(131_000n, DAY_MS))).toBe(131_000n)
  const late = new Date(start.getTime() + DAY_MS)
  expect(unexplained(counted(100_000n, 65_000n, late), shown(231_000n, DAY_MS))).toBe(66_000n)
})

test('a call that the node shows before it is read is suspected, and cleared when it has been', () => {
  const first = judgeUse(counted(0n), shown(64_285n))
  expect(first).toMatchObject({ isOpen: true, stray: 0n, next: { suspectUsed: 64_285n } })
  expect(judgeUse(first.next, shown(64_285n, SOON_MS))).toMatchObject({ isOpen: true, stray: 0n })
  const read = { ...first.next, explained: 64_285n }
  const cleared = { isOpen: false, stray: 0n, next: { suspectUsed: null, explained: 0n } }
  expect(judgeUse(read, shown(64_285n, SOON_MS))).toMatchObject(cleared)
})

test('what is not explained 30 seconds later is others’; what came after it is suspected anew', () => {
  const first = judgeUse(counted(0n), shown(2_000n))
  const later = judgeUse(first.next, shown(131_000n, SETTLED_MS))
  expect(later).toMatchObject({ isOpen: true, stray: 2_000n, next: { suspectUsed: 131_000n } })
  const last = judgeUse(later.next, shown(131_000n, 2 * SETTLED_MS))
  expect(last).toMatchObject({ isOpen: false, stray: 129_000n })
})

test('small uses by others are not forgiven: they add up until they show', () => {
  const taken = 400n
  let account = counted(0n)
  let [used, stray] = [0n, 0n]
  for (let look = 1; look <= 20; look++) {
    used += taken
    const judged = judgeUse(account, shown(used, look * SETTLED_MS))
    account = judged.next
    stray += judged.stray
  }
  expect(20n * taken - stray).toBeLessThanOrEqual(1_500n)
})

test('a node that lags behind us shows a call later than we read it: nobody else’s use', () => {
  const settled = { isOpen: false, stray: 0n, next: { used: 64_285n } }
  const lagging = judgeUse(counted(0n, 64_285n), shown(0n))
  expect(lagging).toMatchObject(settled)
  // Another node shows the call, and then the first one again does not.
  const caughtUp = judgeUse(lagging.next, shown(64_285n))
  expect(caughtUp).toMatchObject(settled)
  // So the answer does not show the whole use, and no top-up is based on it.
  expect(judgeUse(caughtUp.next, shown(0n))).toMatchObject({ ...settled, isOpen: true })
})

test('no top-up after a third party undelegates, until the last call is 30 seconds old', () => {
  const huge = 10_000_000n
  const account = counted(0n, huge)
  const gone = judgeUse(account, shown(100_000n, SOON_MS))
  expect(gone).toEqual({ isOpen: true, stray: 0n, next: account })
  // Half a minute later the shown value counts, and further use is others'.
  const settled = judgeUse(gone.next, shown(100_000n, SETTLED_MS))
  expect(settled).toMatchObject({ isOpen: false, next: { used: 100_000n } })
  expect(judgeUse(settled.next, shown(231_000n, SETTLED_MS + SOON_MS)).isOpen).toBe(true)
})

test('a call that no look has shown within 30 seconds explains nothing any more', () => {
  const late = judgeUse(counted(0n, 64_285n), shown(0n, SETTLED_MS))
  expect(late).toMatchObject({ isOpen: false, next: { used: 0n, explained: 0n } })
})

test('counting begins with a look that shows no call that is read later', () => {
  const early = judgeUse(NEVER_LOOKED, { ...shown(5_000n), isCurrent: false })
  expect(early).toEqual({ isOpen: true, stray: 0n, next: NEVER_LOOKED })
  const first = judgeUse(NEVER_LOOKED, shown(5_000n))
  expect(first).toMatchObject({ isOpen: false, stray: 0n, next: { used: 5_000n, explained: 0n } })
})
