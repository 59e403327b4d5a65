import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTransaction, uniqueTimestamp } from './build.ts'
import type { Contract } from './contracts.ts'
import { EncodeError } from './wire.ts'

const owner_address = `41${'11'.repeat(20)}`
const receiver_address = `41${'22'.repeat(20)}`
const headBlock = {
  id: `000000000000abcd${'0123456789abcdef'.repeat(3)}`,
  timestamp: 1_800_000_000_000,
}

const delegate: Contract = {
  type: 'DelegateResourceContract',
  value: { owner_address, receiver_address, balance: 1_000_000n, resource: 'ENERGY' },
}

test('a transaction refers to its head block and expires a minute after it', () => {
  expect(buildTransaction(delegate, { headBlock }).raw).toEqual({
    contract: delegate,
    refBlockBytes: 'abcd',
    refBlockHash: '0123456789abcdef',
    expiration: headBlock.timestamp + 60_000,
    timestamp: headBlock.timestamp,
    feeLimit: 0n,
    data: '',
  })
})

test('two equal orders in one block have different ids', () => {
  const timestamps = uniqueTimestamp()
  const build = () =>
    buildTransaction(delegate, { headBlock, timestamp: timestamps.next(headBlock.timestamp) })
  expect(build().txId).not.toBe(build().txId)
})

test('no timestamp is given twice, whatever the head does, and none before the head’s', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 100 }), (heads) => {
      const timestamps = uniqueTimestamp()
      const given = heads.map((head) => timestamps.next(head))
      expect(new Set(given).size).toBe(given.length)
      for (const [i, head] of heads.entries()) expect(given[i]).toBeGreaterThanOrEqual(head)
    }),
  )
  expect(uniqueTimestamp(1000).next(1000)).toBe(1001)
})

test.each<[string, () => unknown]>([
  ['a base58 address', () => build({ receiver_address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' })],
  ['an address in capitals', () => build({ owner_address: `41${'AB'.repeat(20)}` })],
  ['a negative amount', () => build({ balance: -1n })],
  ['a number for an amount', () => build({ balance: 1 })],
  ['a missing amount', () => build({ balance: undefined })],
  ['an unknown resource', () => build({ resource: 'GAS' })],
  [
    'a block id that is none',
    () => buildTransaction(delegate, { headBlock: { ...headBlock, id: '00' } }),
  ],
  [
    'an expiration the chain refuses',
    () => buildTransaction(delegate, { headBlock, expirationMs: 86_400_001 }),
  ],
  ['a negative fee limit', () => buildTransaction(delegate, { headBlock, feeLimit: -1n })],
  ['a memo that is not hex', () => buildTransaction(delegate, { headBlock, data: 'hello' })],
])('%s is refused before anything is signed', (_what, run) => {
  expect(run).toThrow(EncodeError)
})

function build(change: object) {
  const value = { ...delegate.value, ...change }
  return buildTransaction({ ...delegate, value } as Contract, { headBlock })
}
