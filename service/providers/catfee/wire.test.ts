import { expect, test } from 'vitest'
import { readBalance, readEstimate, readPlaced, readRepeated, readSeen } from './wire.ts'

const txid = 'ab'.repeat(32)
const order = {
  id: 'c0ffee',
  resource_type: 'ENERGY',
  receiver: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
  delegate_hash: '',
  pay_amount_sun: 1_820_000,
  activate_amount_sun: 0,
  quantity: 65_000,
  duration: 60,
  status: 'PAYMENT_SUCCESS',
  activate_status: 'ACTIVATE',
  confirm_status: 'UNCONFIRMED',
}
const received = (json: unknown, status = 200) => ({ received: true, status, json }) as const
const ok = (data: unknown) => received({ code: 0, msg: 'success', sub_code: null, data })
const silent = { received: false, reason: 'no answer in 8000 ms' } as const

test('price and balance are read in SUN, from a number or a text', () => {
  expect(readEstimate({ code: 0, data: 1_820_000 })).toBe(1_820_000n)
  expect(readEstimate({ code: 0, data: '1820000' })).toBe(1_820_000n)
  expect(readEstimate({ code: 400, msg: 'FAIL', data: null })).toBeUndefined()
  expect(readBalance({ code: 0, data: { balance: 5_000_000, wallet: 'T…' } })).toBe(5_000_000n)
  expect(readBalance({ code: 0, data: null })).toBeUndefined()
})

test('an order that was taken has an id and a cost', () => {
  expect(readPlaced(ok(order))).toEqual({
    state: 'accepted',
    orderId: 'c0ffee',
    txids: [],
    cost: 1_820_000n,
  })
  const placed = readPlaced(ok({ ...order, delegate_hash: txid, activate_amount_sun: 1_200_000 }))
  expect(placed).toMatchObject({ txids: [txid], cost: 3_020_000n })
})

test.each([
  ['insufficient balance', received({ code: 201, msg: 'insufficient balance' })],
  ['an error of the order', received({ code: 400, msg: 'FAIL', sub_code: 'QUANTITY_TOO_LOW' })],
  ['a code as text', received({ code: '201', msg: 'insufficient balance' })],
  ['bad parameters', received({ message: 'quantity' }, 400)],
  ['a bad signature', received(null, 401)],
  ['too many calls', received({ code: 429 }, 429)],
])('%s is refused', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'refused', reason: expect.stringMatching(/./) })
})

test.each([
  ['silence', silent],
  ['9999', received({ code: 9999, msg: 'system busy' })],
  ['an internal error with status 200', received({ code: 500, msg: 'error' })],
  ['an answer without a code', received({ hello: 1 })],
  ['success without an order', ok(null)],
  ['a list', received([])],
])('%s leaves the outcome unknown', (_what, answer) => {
  expect(readPlaced(answer)).toMatchObject({ state: 'unknown' })
})

test.each([
  ['PAYMENT_SUCCESS', 'UNCONFIRMED', '', 'pending'],
  ['DELEGATE_SUCCESS', 'UNCONFIRMED', txid, 'pending'],
  ['DELEGATE_SUCCESS', 'DELEGATION_CONFIRMED', txid, 'delivered'],
  ['DELEGATE_SUCCESS', 'DELEGATION_CONFIRMED', '', 'pending'],
  ['DELEGATE_SUCCESS', 'DELEGATION_CONFIRMED_FAIL', txid, 'failed'],
  ['DELEGATE_FAIL', 'UNCONFIRMED', '', 'failed'],
  ['INSUFFICIENT_BALANCE', '', '', 'failed'],
  ['QUANTITY_TOO_HIGH', '', '', 'failed'],
  ['QUANTITY_TOO_LOW', '', '', 'failed'],
  ['ADDRESS_NOT_ACTIVATED', '', '', 'failed'],
  ['INVALID_ADDRESS', '', '', 'failed'],
  ['SOMETHING_NEW', 'SOMETHING_NEW', txid, 'pending'],
])('%s, %s, hash "%s": %s', (status, confirm_status, delegate_hash, state) => {
  const seen = readSeen(ok({ ...order, status, confirm_status, delegate_hash }))
  expect(seen).toMatchObject({ state, orderId: 'c0ffee' })
})

test('an order we know is never reported as not seen', () => {
  expect(readSeen(received({ code: 404, msg: 'ORDER_NOT_FOUND' }))).toMatchObject({
    state: 'unknown',
  })
  expect(readSeen(silent)).toMatchObject({ state: 'unknown' })
})

test('the same id again: the first order, or what its refusal proves', () => {
  expect(readRepeated(ok(order))).toEqual({ state: 'pending', orderId: 'c0ffee' })
  const about = received({ code: 400, sub_code: 'QUANTITY_TOO_HIGH' })
  expect(readRepeated(about)).toEqual({ state: 'never_seen' })
  // The first order may have used up the balance.
  expect(readRepeated(received({ code: 201, msg: 'x' }))).toMatchObject({ state: 'unknown' })
  expect(readRepeated(received(null, 401))).toMatchObject({ state: 'unknown' })
  expect(readRepeated(received({ code: 9999 }))).toMatchObject({ state: 'unknown' })
})
