import { expect, test } from 'vitest'
import { readBalance, readEstimate, readFitting, readPlaced, readProbe, readSeen } from './wire.ts'

const txid = '56'.repeat(32)
const id = '0199f3a0-0000-7000-8000-000000000001'
const received = (json: unknown, status = 200) => ({ received: true, status, json }) as const
const refusal = (error: string, status = 400, more: object = {}) =>
  received({ detail: { error, ...more } }, status)
const silent = { received: false, reason: 'status 500' } as const
const unavailable = (response: unknown) =>
  ({ received: false, reason: 'status 503', response }) as const
const bought = {
  order_id: id,
  status: 'PENDING',
  total_price_sun: 1_950_000,
  total_price_trx: '1.95',
  balance_after_sun: 1,
}

test('estimate and what can be spent', () => {
  const estimate = { total_price_sun: 1_950_000, min_amount: 32_000, max_amount: 5_000_000 }
  expect(readEstimate(estimate)).toEqual({
    total: 1_950_000n,
    minimum: 32_000n,
    maximum: 5_000_000n,
  })
  expect(readBalance({ balance_trx: '10.5' })).toBe(10_500_000n)
  expect(readBalance({ balance_trx: '10.5', reserved_trx: '4.4' })).toBe(6_100_000n)
  expect(readBalance({ detail: 'Invalid API key' })).toBeUndefined()
})

test('a purchase that was made has an order id', () => {
  const placed = { state: 'accepted', orderId: id, txids: [], cost: 1_950_000n }
  expect(readPlaced(received(bought))).toEqual(placed)
})

test.each([
  [refusal('insufficient_balance', 400, { current_balance: 1 }), 'insufficient_balance'],
  [refusal('price_above_limit', 400, { price_sun: 9 }), 'price_above_limit'],
  [refusal('validation_error', 400, { message: 'Not activated.' }), 'Not activated.'],
  [received({ detail: { code: 'order_amount_below_minimum', min: 1 } }, 400), 'below_minimum'],
  [received({ detail: [{ loc: ['body'], msg: 'must be > 0', type: 'x' }] }, 422), 'must be > 0'],
  [received({ detail: 'Invalid API key' }, 401), 'not let in'],
  [received({ detail: 'Rate limit exceeded' }, 429), 'too many calls'],
  [unavailable({ detail: { error: 'service_unavailable', message: 'Not now.' } }), 'Not now.'],
])('%j is a refusal', (answer, part) => {
  expect(readPlaced(answer)).toMatchObject({
    state: 'refused',
    reason: expect.stringContaining(part),
  })
})

test.each([
  ['silence', silent],
  ['a 503 in other words', unavailable({ error: 'upstream connect error' })],
  ['a twin in flight', refusal('duplicate_request', 409)],
  ['success without an order', received({ status: 'PENDING' })],
])('%s leaves the outcome unknown', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'unknown' })
})

test('the key with a purchase that cannot be made: the first answer, or a free key', () => {
  expect(readProbe(received(bought), 'invalid_duration')).toEqual({ orderId: id })
  expect(readProbe(refusal('invalid_duration'), 'invalid_duration')).toBe('free')
  // Any other answer says nothing about the key.
  const others = [
    refusal('duplicate_request', 409),
    refusal('validation_error'),
    received({ detail: 'Invalid API key' }, 401),
    silent,
  ]
  for (const answer of others) {
    expect(readProbe(answer, 'invalid_duration')).toMatchObject({ state: 'unknown' })
  }
})

test.each([
  ['PENDING', 'pending'],
  ['PROCESSING', 'pending'],
  ['AWAITING_PAYMENT', 'pending'],
  ['COMPLETED', 'delivered'],
  ['FAILED', 'failed'],
])('%s is %s', (status, state) => {
  const order = { id, status, delegation_txids: status === 'COMPLETED' ? [txid] : [] }
  const seen = readSeen(received({ ...order, total_price_trx: '1.95', error_message: 'no' }))
  expect(seen).toMatchObject({ state, orderId: id })
  if (state === 'delivered') expect(seen).toMatchObject({ txids: [txid], cost: 1_950_000n })
})

test('an order that it does not find is not proof of anything', () => {
  expect(readSeen(received({ detail: 'Order not found' }, 404))).toMatchObject({ state: 'unknown' })
  expect(readSeen(silent)).toMatchObject({ state: 'unknown' })
})

test('orders fit by receiver, amount and time', () => {
  const receiver = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'
  const order = {
    id,
    receiver_address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    resource_amount: 65_000,
    created_at: '2026-01-02T00:00:00.000Z',
  }
  const want = { receiver, energy: 65_000n, from: Date.parse('2026-01-01') }
  const page = (orders: unknown) => received({ orders, total: 1, page: 1, page_size: 100 })
  expect(readFitting(page([order]), want)).toEqual([id])
  expect(readFitting(page([order]), { ...want, energy: 1n })).toEqual([])
  expect(readFitting(page([order]), { ...want, from: Date.parse('2026-01-03') })).toEqual([])
  expect(readFitting(page(null), want)).toBeUndefined()
  expect(readFitting(silent, want)).toBeUndefined()
})
