import { expect, test } from 'vitest'
import { readBalance, readPlaced, readSeen, readService, readTotal } from './wire.ts'

const txid = '12'.repeat(32)
const received = (json: unknown, status = 200) => ({ received: true, status, json }) as const
const ok = (result: unknown) => received({ code: 0, result })
const silent = { received: false, reason: 'no answer in 8000 ms' } as const

test('the tier of one hour: from the pack where there is one, else per thousand', () => {
  const energy = [
    { duration: 24, min_amount: 1, max_amount: 2, price: 9 },
    { duration: 1, min_amount: 50_000, max_amount: 131_000, price: 0.03, price_65k: 1.95 },
  ]
  const tier = { unitPrice: 30n, minimum: 50_000n, maximum: 131_000n }
  expect(readService({ code: 0, result: { energy } })).toEqual(tier)
  const old = [{ duration: '1', min_energy: 50_000, max_energy: 131_000, price: '0.03' }]
  expect(readService({ code: '0', result: { energy: old } })).toEqual(tier)
  expect(readService({ code: 0, result: [] })).toBeUndefined()
})

test('money is TRX, as a number or a text', () => {
  expect(readBalance({ code: 0, result: { balance: '12.5', address: 'T…' } })).toBe(12_500_000n)
  expect(readBalance({ code: 0, result: { balance: 12.5 } })).toBe(12_500_000n)
  expect(readBalance({ code: 1, key: 'unauthorized' })).toBeUndefined()
  const result = { price: 1.95, activation_fee: 1.4, total: 3.35 }
  expect(readTotal({ code: 0, result })).toBe(3_350_000n)
})

const order = { id: 'tz-1', external_id: 'ord-1', status: 'new', amount: 1.95, hash: '' }

test('an order that was taken has an id and a cost', () => {
  expect(readPlaced(ok(order))).toEqual({
    state: 'accepted',
    orderId: 'tz-1',
    txids: [],
    cost: 1_950_000n,
  })
})

test.each([1, 2, 5, 6, 10, 11, 12, 24, 25, 30, 35, 50])('code %i is a refusal', (code) => {
  const answer = received({
    code,
    key: 'invalid_tron_address.address',
    request_id: 'r',
    error: 'no',
  })
  const reason = 'invalid_tron_address.address no'
  expect(readPlaced(answer)).toEqual({ state: 'refused', reason })
  expect(readPlaced(received({ code: String(code), error: 'no' }))).toMatchObject({
    state: 'refused',
  })
})

test.each([
  ['silence', silent],
  ['code 500', received({ code: 500, key: 'internal', error: 'x' })],
  ['no code', received({ result: order })],
  ['a code that is no number', received({ code: 'oops' })],
  ['success without an id', ok([])],
])('%s leaves the outcome unknown', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'unknown' })
})

test.each([
  ['new', '', 'pending'],
  ['pending', '', 'pending'],
  ['pending', txid, 'pending'],
  ['success', txid, 'delivered'],
  ['success', '', 'pending'],
  ['failed', '', 'failed'],
  ['failed', txid, 'failed'],
  ['refunded', '', 'failed'],
  ['something_new', '', 'pending'],
])('%s with the hash "%s" is %s', (status, hash, state) => {
  const seen = readSeen(ok({ ...order, status, hash }), { byReference: true })
  expect(seen).toMatchObject({ state, orderId: 'tz-1' })
})

test('several hashes are all read', () => {
  const two = ['34'.repeat(32), txid]
  const asList = readSeen(ok({ ...order, status: 'success', hash: two }), { byReference: false })
  const asText = readSeen(ok({ ...order, status: 'success', hash: two.join(',') }), {
    byReference: false,
  })
  expect(asList).toMatchObject({ txids: two })
  expect(asText).toEqual(asList)
})

test('code 20 means "never seen" only when asked by our own id', () => {
  const missing = received({ code: 20, key: 'transaction_not_found', error: 'x' })
  expect(readSeen(missing, { byReference: true })).toEqual({ state: 'never_seen' })
  expect(readSeen(missing, { byReference: false })).toMatchObject({ state: 'unknown' })
  expect(readSeen(silent, { byReference: true })).toMatchObject({ state: 'unknown' })
  expect(readSeen(received({ code: 1 }), { byReference: true })).toMatchObject({ state: 'unknown' })
})
