import { expect, test } from 'vitest'
import { axisWords } from './axis.ts'

test.each([
  [
    [0, 1, 2],
    ['0', '1', '2'],
  ],
  [
    [0, 0.5, 1],
    ['0', '0.5', '1'],
  ],
  [
    [1_000, 2_000],
    ['1,000', '2,000'],
  ],
  [
    [-50, 0],
    ['\u221250', '0'],
  ],
  [
    [100.0005, 100.001],
    ['100.0005', '100.001'],
  ],
  [
    [400_000_000, 400_500_000],
    ['400M', '400.5M'],
  ],
])('%j is written %j: no figure stands there twice', (splits, words) => {
  expect(axisWords(splits)).toEqual(words)
})
