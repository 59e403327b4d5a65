import { expect, test } from 'vitest'
import { compare, type Figure, sideBySide } from './report.ts'
import type { Samples } from './rounds.ts'
import { reachedBy, rowsTable } from './row.ts'

const sample = (perSecond: number) => ({
  perSecond,
  p50Ms: 1,
  p95Ms: 2,
  p99Ms: 3,
  count: 1,
  serverMicros: 0,
  databaseMicros: 0,
  stolen: 0,
})
const figure: Figure = {
  figure: 'ours',
  of: 'ours',
  baseline: 'theirs',
  value: 'perSecond',
  must: 3,
  aim: 4,
}
const ours: [string, ReturnType<typeof sample>[]] = ['ours', [10, 40, 90].map(sample)]

test('ratios are taken within a round', () => {
  const samples: Samples = new Map([ours, ['theirs', [10, 10, 10].map(sample)]])
  const [row] = compare(samples, [figure], new Set(['ours', 'theirs']))
  expect(row).toMatchObject({ value: 4, low: 1, high: 9 })
})

test('a baseline that cannot be had is missing, one that nobody asked for is left out', () => {
  const samples: Samples = new Map([ours])
  const [row, ...more] = compare(samples, [figure], new Set(['ours']))
  expect(more).toEqual([])
  expect(row!.value).toBeUndefined()
  expect(rowsTable([row!])).toMatch(/ours +\| theirs +\| missing +\| – .*no baseline here/)
  expect(compare(samples, [figure], new Set(['ours', 'theirs']))).toEqual([])
})

test.each([
  [{ value: 4, must: 3, aim: 4 }, 'aim'],
  [{ value: 3.9, must: 3, aim: 4 }, 'must'],
  [{ value: 2.9, must: 3, aim: 4 }, 'SHORT'],
  [{ value: 2.9, must: 3, aim: 2, atMost: true }, 'must'],
  [{ value: 3.1, must: 3, atMost: true }, 'SHORT'],
  [{ value: 1, aim: 1.1 }, 'below aim'],
  [{ value: 1 }, '–'],
  [{ must: 3, aim: 4 }, 'missing'],
])('%j reaches: %s', (row, verdict) => {
  expect(reachedBy({ figure: 'x', ...row })).toBe(verdict)
})

test('what is compared stands side by side, each variant once', () => {
  const variants = ['a', 'b', 'alone', 'base a', 'base b', 'second base a'].map((name) => ({
    name,
  }))
  const against = (of: string, baseline: string): Figure => ({ ...figure, of, baseline })
  const figures = [
    against('a', 'base a'),
    against('a', 'second base a'),
    against('b', 'base b'),
    against('alone', 'not to be had'),
  ]
  const order = sideBySide(variants, figures).map(({ name }) => name)
  expect(order).toEqual(['a', 'base a', 'b', 'base b', 'alone', 'second base a'])
})
