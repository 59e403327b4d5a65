import { expect, test } from 'vitest'
import { judge } from './flat.ts'

const curve = { panel: 'memory', unit: 'MB', name: 'service', slack: 5 }
const over = (of: (minute: number) => number) =>
  Array.from({ length: 120 }, (_, minute) => of(minute))

test.each([
  ['a constant', over(() => 200), true],
  ['noise', over((minute) => 200 + (minute % 7) * 6), true],
  ['a first half that grows', over((minute) => 200 + Math.min(minute, 50) * 4), true],
  ['one peak', over((minute) => (minute === 90 ? 400 : 200)), true],
  ['half a megabyte a minute', over((minute) => 200 + minute * 0.5), false],
  ['a curve that falls', over((minute) => 400 - minute), true],
])('%s', (_what, values, isFlat) => {
  expect(judge({ ...curve, values }).isFlat).toBe(isFlat)
})

test('what has to grow is told from what must not', () => {
  const values = over((minute) => minute)
  expect(judge({ ...curve, values }).sentence).toMatch(/^GROWS /)
  expect(judge({ ...curve, values, grows: 'kept for ever' }).sentence).toMatch(
    /^kept .*kept for ever$/,
  )
})
