import { expect, test } from 'vitest'
import { isUuid, systemDoors } from '../kernel/index.ts'
import { createRequestIds, isRequestId } from './requestIds.ts'

test('an id is a UUIDv7 of the moment, and none comes twice, from two servers neither', () => {
  const doors = systemDoors()
  const servers = [createRequestIds(doors), createRequestIds(doors)]
  const beforeMs = Date.now()
  const made = Array.from({ length: 6_000 }, (_, place) => servers[place % 2]!())
  expect(new Set(made).size).toBe(made.length)
  for (const id of made) {
    expect(isUuid(id) && id[14] === '7' && '89ab'.includes(id[19]!)).toBe(true)
    const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
    expect(ms).toBeGreaterThanOrEqual(beforeMs)
    expect(ms).toBeLessThanOrEqual(Date.now())
  }
})

test('a wall clock that is set back does not give the same ids again', () => {
  const doors = systemDoors()
  let nowMs = 1_000
  const next = createRequestIds({ ...doors, clock: { ...doors.clock, wallMs: () => nowMs } })
  const made = Array.from({ length: 5_000 }, (_, place) => {
    nowMs = place === 2_500 ? 1_000 : nowMs + (place % 2)
    return next()
  })
  expect(new Set(made).size).toBe(made.length)
})

test.each([
  ['a-b_c.9', true],
  ['x'.repeat(64), true],
  ['', false],
  ['x'.repeat(65), false],
  ['a b', false],
  ['a\r\nb', false],
])('a client may bring its own: %j', (given, taken) => {
  expect(isRequestId(given)).toBe(taken)
})
