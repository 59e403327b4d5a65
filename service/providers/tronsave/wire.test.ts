import { expect, test } from 'vitest'
import { fitting, readBalance, readEstimate, readList, readPlaced, readSeen } from './wire.ts'

const txid = 'ef'.repeat(32)
const base58 = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const receiver = '41a28f9a12e13a89c4c9d3e5d14c76ea4ab3a5a7a1'
const received = (json: unknown, status = 200) => ({ received: true, status, json }) as const
const ok = (data: unknown, status = 200) =>
  received({ error: false, message: 'Success', data }, status)
const silent = { received: false, reason: 'status 503' } as const
// 0x6956f2e5 seconds are 2026-01-01T22:17:41Z.
const id = '6956f2e5aaaaaaaaaaaaaaaa'
const order = {
  id,
  receiver: base58,
  resourceAmount: 65_000,
  remainAmount: 0,
  price: 30,
  payoutAmount: 1_950_000,
  fulfilledPercent: 100,
  delegates: [{ delegator: base58, amount: 65_000, txid }],
}

test('estimate and balance are in SUN, whatever their names say', () => {
  const data = { unitPrice: 30, durationSec: 3_600, estimateTrx: 1_950_000, availableResource: 9 }
  expect(readEstimate({ error: false, data })).toEqual({ unitPrice: 30n, available: 9n })
  expect(readBalance({ error: false, data: { balance: '5000000' } })).toBe(5_000_000n)
  expect(readBalance({ error: true, message: 'TSAS:107 INVALID_API_KEY', data: null })).toBe(
    undefined,
  )
})

test('an order that was taken has an id', () => {
  expect(readPlaced(ok({ orderId: id }, 201))).toEqual({
    state: 'accepted',
    orderId: id,
    txids: [],
  })
})

test.each([
  [
    received({ error: true, message: 'TSAS:409 CANNOT_FULFILLED x', data: null }, 400),
    'CANNOT_FULF',
  ],
  [
    received({ statusCode: 400, code: 'FST_ERR_VALIDATION', message: 'body must' }, 400),
    'body must',
  ],
  [received({ PRICE_EXCEED_MAX_PRICE_REQUIRED: 'older page' }, 400), 'PRICE_EXCEED'],
  [received({ error: true, message: 'TSAS:106 API_KEY_REQUIRED', data: null }, 401), 'not let in'],
  [received(null, 429), 'too many calls'],
])('%j is a refusal', (answer, part) => {
  expect(readPlaced(answer)).toMatchObject({
    state: 'refused',
    reason: expect.stringContaining(part),
  })
})

test.each([
  ['silence', silent],
  ['success without an id', ok({}, 201)],
  ['another status', received({ message: 'Route not found', statusCode: 404 }, 404)],
])('%s leaves the outcome unknown', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'unknown' })
})

test.each([
  ['whole', {}, 'delivered'],
  ['nothing yet', { fulfilledPercent: 0, remainAmount: 65_000, delegates: [] }, 'pending'],
  ['half', { fulfilledPercent: 50, remainAmount: 32_500 }, 'pending'],
  ['whole by its word, without a txid', { delegates: [] }, 'pending'],
  ['whole and something remains', { remainAmount: 1 }, 'pending'],
])('an order filled %s', (_what, change, state) => {
  expect(readSeen(ok({ ...order, ...change }))).toMatchObject({ state, orderId: id })
})

test('an order that it does not find is not proof of anything', () => {
  const missing = received({ error: true, message: 'TSAS:408 INVALID_PARAMS', data: null }, 400)
  expect(readSeen(missing)).toMatchObject({ state: 'unknown' })
  expect(readSeen(silent)).toMatchObject({ state: 'unknown' })
})

test('the time of an order is in its id, unless a field says it', () => {
  const at = (more: object) => readList(ok({ data: [{ ...order, ...more }], total: 1 }))![0]!
  expect(at({}).createdAt).toBe(0x6956f2e5 * 1_000)
  expect(at({ createdAt: '2026-01-02T00:00:00Z' }).createdAt).toBe(Date.parse('2026-01-02'))
  expect(at({ id: '77' }).createdAt).toBeUndefined()
})

test('a list that is none is not an empty list', () => {
  expect(readList(ok({ data: [], total: 0 }))).toEqual([])
  expect(readList(ok({}))).toBeUndefined()
  expect(readList(received({ error: true, data: null }, 401))).toBeUndefined()
  expect(readList(silent)).toBeUndefined()
})

test('an order fits by receiver, amount and time; one without a time may be ours', () => {
  const time = 0x6956f2e5 * 1_000
  const seen = { state: 'pending', orderId: id } as const
  const listed = { id, receiver, energy: 65_000n, createdAt: time, seen }
  const want = { receiver, energy: 65_000n, from: time - 1, to: time + 1 }
  expect(fitting([listed], want)).toHaveLength(1)
  expect(fitting([{ ...listed, createdAt: undefined }], want)).toHaveLength(1)
  expect(fitting([{ ...listed, energy: 65_001n }], want)).toEqual([])
  expect(fitting([{ ...listed, createdAt: time + 2 }], want)).toEqual([])
  expect(fitting([{ ...listed, receiver: base58 }], want)).toEqual([])
})
