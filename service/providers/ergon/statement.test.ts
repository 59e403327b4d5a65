import { expect, test } from 'vitest'
import { readStatement } from './statement.ts'

const at = '2026-11-18T10:00:00.000Z'
const entry = (
  id: string,
  entry_type: string,
  amount_sun: number,
  reference_id: string | null,
) => ({
  id,
  entry_type,
  amount_sun,
  reference_id,
  created_at: at,
})
const page = (transactions: unknown[], more = {}) =>
  readStatement('ergon', { transactions, has_more: false, next_cursor: null, ...more })

test('purchases are charges; refunds and credits of their order take them back', () => {
  const { charges, next, oldest } = page([
    entry('e4', 'reclaim_credit', 300, 'order-1:ab12'),
    entry('e3', 'refund', 2_000, 'order-2'),
    entry('e2', 'purchase', -2_000, 'order-2'),
    entry('e1', 'purchase', -1_000, 'order-1'),
  ])
  expect(charges.map(({ entryId, orderId, amount }) => [entryId, orderId, amount])).toEqual([
    ['e4', 'order-1', -300n],
    ['e3', 'order-2', -2_000n],
    ['e2', 'order-2', 2_000n],
    ['e1', 'order-1', 1_000n],
  ])
  expect([next, oldest]).toEqual([null, new Date(at)])
})

test('money that we sent there is no charge, and anything else that they took is', () => {
  const { charges, oldest } = page([
    entry('e3', 'adjustment', -50, null),
    entry('e2', 'payout', -900, 'p'),
    entry('e1', 'deposit', 1_000, 'tx'),
  ])
  expect(charges).toEqual([{ entryId: 'e3', orderId: 'e3', amount: 50n, at: new Date(at) }])
  expect(oldest).toEqual(new Date(at))
})

test('the next page has its cursor', () => {
  const more = { has_more: true, next_cursor: 'abc' }
  expect(page([entry('e1', 'deposit', 1, 'tx')], more).next).toBe('abc')
})

test.each([
  ['no list', { detail: 'x' }, /no list of transactions/],
  [
    'an amount that is none',
    { transactions: [{ ...entry('e1', 'purchase', -1, 'o'), amount_sun: 'x' }] },
    /no amount of transaction e1/,
  ],
  [
    'no time',
    { transactions: [{ ...entry('e1', 'purchase', -1, 'o'), created_at: '' }] },
    /no time of transaction e1/,
  ],
  ['more pages without a cursor', { transactions: [], has_more: true }, /no cursor/],
])('a page with %s cannot be read', (_what, json, words) => {
  expect(() => readStatement('ergon', json)).toThrow(words)
})
