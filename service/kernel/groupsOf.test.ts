import { expect, test } from 'vitest'
import { groupsOf } from './groupsOf.ts'

test.each([
  [[], 2, []],
  [[1], 2, [[1]]],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3], 2, [[1, 2], [3]]],
])('%j in groups of %i', (items, size, expected) => {
  expect(groupsOf<number>(items, size)).toEqual(expected)
})
