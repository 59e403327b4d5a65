import { expect, test } from 'vitest'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { createAddressLimit, isLoopback } from './addressLimit.ts'

test('the limit passes, the next one waits until the window of its address ends', () => {
  const runtime = testRuntime()
  const { count } = createAddressLimit(runtime.clock, 2)
  expect([count('192.0.2.1'), count('192.0.2.1')]).toEqual([undefined, undefined])
  runtime.pass(50_000)
  expect(count('192.0.2.1')).toBe(10)
  expect(count('192.0.2.2')).toBeUndefined()
  runtime.pass(10_000)
  expect(count('192.0.2.1')).toBeUndefined()
})

test.each([
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::', true],
  ['2001:db8::1', '2001:db8:0:0:1:2:3:4', true],
  ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
  ['2001:DB8::1', '2001:0db8::2', true],
  ['::1', '::2', true],
  ['fe80::1', 'fe81::1', false],
  ['192.0.2.1', '192.0.2.2', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['::ffff:192.0.2.1', '192.0.2.1', true],
])('%s and %s are one client: %s', (first, second, same) => {
  const { count } = createAddressLimit(testRuntime().clock, 1)
  expect(count(first)).toBeUndefined()
  expect(count(second) !== undefined).toBe(same)
})

test('a flood of addresses does not fill the memory, and old windows go first', () => {
  const { count } = createAddressLimit(testRuntime().clock, 1)
  count('first')
  for (let i = 0; i < 100_000; i += 1) count(`address ${i}`)
  expect(count('first')).toBeUndefined()
  expect(count('address 99999')).toBeGreaterThan(0)
})

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['10.127.0.0', false],
  ['::2', false],
  ['', false],
])('%s is this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
