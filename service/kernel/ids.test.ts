import { expect, test } from 'vitest'
import type { Clock } from './clock.ts'
import { isUuid, uuidsV7 } from './ids.ts'
import { systemRandom } from './random.ts'

const at = (ms: number): Clock => ({
  now: () => new Date(ms),
  elapsedMs: () => 0,
  wallMs: () => ms,
})

test('ids are UUIDs of version 7, lower-case, all different', () => {
  const ids = uuidsV7(at(1_763_000_000_000), systemRandom)
  const made = Array.from({ length: 10_000 }, () => ids.next())
  expect(new Set(made).size).toBe(made.length)
  for (const id of made) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(isUuid(id)).toBe(true)
  }
})

test('an id begins with the moment it was made, so later ids sort after earlier ones', () => {
  const first = uuidsV7(at(1_763_000_000_000), systemRandom).next()
  const second = uuidsV7(at(1_763_000_000_001), systemRandom).next()
  expect(Number.parseInt(first.replace('-', '').slice(0, 12), 16)).toBe(1_763_000_000_000)
  expect(first < second).toBe(true)
})

test.each([
  '',
  'x',
  '00000000-0000-7000-8000-00000000000',
  '00000000-0000-7000-8000-00000000000G',
  'ABCDEF00-0000-7000-8000-000000000000',
  '00000000-0000-7000-8000-000000000000\n',
])('"%s" is not an id', (text) => {
  expect(isUuid(text)).toBe(false)
})
