import fc from 'fast-check'
import { expect, test } from 'vitest'
import { takenFrom } from './shortfall.ts'

const stake = fc.bigInt({ min: 0n, max: 10n ** 15n })
const needs = fc.array(
  stake.map((left) => ({ left })),
  { maxLength: 6 },
)

test('what is taken is at most what was reclaimed, what is missing, and what each delegation had', () => {
  fc.assert(
    fc.property(needs, stake, stake, stake, (needed, reclaimed, remaining, standing) => {
      const taken = takenFrom(needed, { reclaimed, remaining, standing })
      const sum = taken.reduce((all, one) => all + one.stake, 0n)
      const wanted = needed.reduce((all, { left }) => all + left, standing)
      const missing = wanted > remaining ? wanted - remaining : 0n
      expect(sum).toBeLessThanOrEqual(reclaimed)
      expect(sum).toBeLessThanOrEqual(missing)
      for (const one of taken) expect(one.stake).toBeLessThanOrEqual(one.row.left)
    }),
  )
})

test('the first loses everything before the second loses anything', () => {
  const [newest, oldest] = [{ left: 5n }, { left: 7n }]
  const of = (remaining: bigint) =>
    takenFrom([newest, oldest], { reclaimed: 12n, remaining, standing: 0n })
  expect(of(12n)).toEqual([])
  expect(of(9n)).toEqual([{ row: newest, stake: 3n }])
  expect(of(6n)).toEqual([
    { row: newest, stake: 5n },
    { row: oldest, stake: 1n },
  ])
})

test('standing Energy keeps its stake: the order bears what is missing', () => {
  const order = { left: 5n }
  const taken = takenFrom([order], { reclaimed: 5n, remaining: 8n, standing: 8n })
  expect(taken).toEqual([{ row: order, stake: 5n }])
})
