import { expect, test } from 'vitest'
import { oneByOne } from './oneByOne.ts'

test('addresses that are not begun within 20 seconds are refused, and not tried', async () => {
  let now = 0
  const tried: number[] = []
  const work = async (nth: number) => {
    tried.push(nth)
    now += 9_999
    return nth
  }
  const answers = await oneByOne({ elapsedMs: () => now }, [1, 2, 3, 4, 5], work)
  expect([tried, answers.slice(0, 3)]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
  expect(answers.slice(3)).toMatchObject(Array(2).fill({ refused: 'fulfiller_unavailable' }))
})
