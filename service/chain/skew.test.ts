import { expect, test } from 'vitest'
import { silentLog } from '../kernel/index.ts'
import { createSkew } from './skew.ts'

test.each([
  [4_999, false],
  [5_000, true],
  [-4_999, false],
  [-5_000, true],
])('a clock that is %i ms ahead is reported: %s', (skewMs, isReported) => {
  const reported: string[] = []
  const skew = createSkew({ ...silentLog, warn: (event: string) => void reported.push(event) })
  skew.note(1, skewMs)
  expect([skew.isLarge(), reported]).toEqual([isReported, isReported ? ['clock_skew'] : []])
})
