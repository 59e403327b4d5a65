import { expect, test } from 'vitest'
import { readServerTime, serverNow, whenClockMoves } from './clock.ts'

const HOUR_MS = 3_600_000
const isoOf = (ms: number) => new Date(ms).toISOString()

test('nothing is told before an answer, then every move of the server’s clock is followed', () => {
  expect(serverNow).toThrow('not known yet')
  readServerTime(null, 0, 0)
  expect(serverNow).toThrow('not known yet')

  let moves = 0
  const end = whenClockMoves(() => moves++)
  const now = Date.now()
  readServerTime(isoOf(now + HOUR_MS), now, now)
  expect(serverNow()).toBeGreaterThanOrEqual(now + HOUR_MS)
  expect(moves).toBe(0)

  // An answer that was long on its way tells the same time.
  readServerTime(isoOf(now + HOUR_MS), now, now + 30_000)
  expect(moves).toBe(0)

  readServerTime(isoOf(now + 2 * HOUR_MS), now, now)
  expect(moves).toBe(1)
  expect(serverNow()).toBeGreaterThanOrEqual(now + 2 * HOUR_MS)
  end()
})
