import { expect, test } from 'vitest'
import { readIndexData, readPlaced, readPrice, readSeen } from './wire.ts'

const txid = 'cd'.repeat(32)
const received = (json: unknown, status = 200) => ({ received: true, status, json }) as const
const silent = { received: false, reason: 'status 502' } as const

const indexData = {
  platform_avail_energy: 81_000_000,
  platform_max_energy: 9_000_000,
  minimum_order_energy: 12_000,
  maximum_order_energy: 200_000_000,
  small_amount: 50_000,
  small_addition: 0.6,
  tiered_pricing: [
    { period: 1, price: 90 },
    { period: 0, price: 40 },
  ],
  balance: 7_000_000,
}

test('index-data gives the price of an hour, the bounds and the surcharge', () => {
  const read = {
    unitPrice: 40n,
    available: 81_000_000n,
    minimum: 12_000n,
    maximum: 200_000_000n,
    balance: 7_000_000n,
    surcharge: { below: 50_000n, amount: 600_000n },
  }
  expect(readIndexData(indexData)).toEqual(read)
  expect(readIndexData({ errno: 0, data: indexData })).toEqual(read)
})

test('a wrong key is seen by the balance that is missing', () => {
  expect(readIndexData({ ...indexData, balance: '' }).balance).toBeUndefined()
  expect(readIndexData({ data: [] }).unitPrice).toBeUndefined()
})

test('the price of an order is that of one Energy without the surcharge', () => {
  const answer = { period: '1H', energy_amount: 40_000, price: 40, addition: 600_000 }
  expect(readPrice({ ...answer, total_price: 2_200_000 }, 40_000n)).toBe(40n)
  expect(readPrice({ price: 41 }, 40_000n)).toBe(41n)
  expect(readPrice({ detail: 'throttled' }, 40_000n)).toBeUndefined()
})

test('an order that was taken has a serial', () => {
  const answer = received({ errno: 0, serial: '5a1e', amount: 2_600_000, balance: 1 })
  expect(readPlaced(answer)).toEqual({
    state: 'accepted',
    orderId: '5a1e',
    txids: [],
    cost: 2_600_000n,
  })
})

test.each([
  ['errno 1', received({ errno: 1, message: 'balance is not enough' }), 'balance is not enough'],
  ['fields', received({ energy_amount: ['too small'] }, 400), 'energy_amount: too small'],
  ['detail', received({ detail: 'bad signature' }, 400), 'bad signature'],
  ['a bad key', received({ detail: 'no' }, 403), 'not let in (status 403)'],
])('%s is a refusal with its reason', (_what, answer, reason) => {
  expect(readPlaced(answer)).toEqual({ state: 'refused', reason })
})

test.each([
  ['silence', silent],
  ['success without a serial', received({ errno: 0 })],
  ['an answer that says nothing', received({})],
])('%s leaves the outcome unknown', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'unknown' })
})

const order = (status: number, hashes: string[] = []) =>
  received({
    errno: 0,
    order_no: '5a1e',
    energy_amount: 65_000,
    pay_amount: 65_000.0,
    amount: 2_600_000,
    details: hashes.map((delegate_hash) => ({ delegate_hash, status: 20 })),
    status,
  })

test.each([
  [10, [], 'pending'],
  [20, [], 'pending'],
  [30, [txid], 'pending'],
  [31, [txid], 'pending'],
  [32, [], 'pending'],
  [40, [txid], 'delivered'],
  [40, [], 'pending'],
  [0, [], 'failed'],
  [41, [txid], 'failed'],
  [43, [], 'failed'],
  [99, [], 'pending'],
])('status %i with hashes %j is %s', (status, hashes, state) => {
  const seen = readSeen(order(status, hashes), { byReference: true })
  expect(seen).toMatchObject({ state, orderId: '5a1e' })
  if (state !== 'pending') expect(seen).toMatchObject({ txids: hashes })
})

test('errno 404 means "never seen" only when asked by our own number', () => {
  const missing = received({ errno: 404, message: 'order does not exist' })
  expect(readSeen(missing, { byReference: true })).toEqual({ state: 'never_seen' })
  expect(readSeen(missing, { byReference: false })).toMatchObject({ state: 'unknown' })
  expect(readSeen(silent, { byReference: true })).toMatchObject({ state: 'unknown' })
  const html404 = received({ detail: 'Not found.' }, 404)
  expect(readSeen(html404, { byReference: true })).toMatchObject({ state: 'unknown' })
})
