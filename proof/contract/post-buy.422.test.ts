// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'

let app: TestApp
let client: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  client = await app.newAccount()
})
afterAll(() => app.close())

const RECEIVER = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const buy = (body: unknown, headers = {}) =>
  app.call('POST', '/v1/buy', { key: client.api_key, body, headers })
const wish = { receiver_address: RECEIVER, resource_amount: 65_000 }

test.each([
  ['resource_amount', 0, 'greater_than'],
  ['resource_amount', -1, 'greater_than'],
  ['resource_amount', '65000', 'int_type'],
  ['resource_amount', [65_000], 'int_type'],
  ['resource_amount', true, 'int_type'],
  ['resource_amount', null, 'int_type'],
  ['resource_amount', 65_000.5, 'int_type'],
  ['resource_amount', 1e300, 'less_than_equal'],
  ['receiver_address', 1, 'string_type'],
  ['receiver_address', null, 'string_type'],
  ['receiver_address', 'T\u0000', 'value_error'],
  ['receiver_address', 'T\ud800', 'value_error'],
  ['receiver_address', 'T'.repeat(257), 'string_too_long'],
  ['resource_type', 1, 'string_type'],
  ['duration', {}, 'string_type'],
  ['max_price_sun', 0, 'greater_than'],
  ['max_price_sun', '1', 'int_type'],
])('422 %s %j is %s', async (name, value, type) => {
  const { status, body } = await buy({ ...wish, [name]: value })
  const fault = { loc: ['body', name], msg: expect.any(String), type }
  expect([status, body]).toEqual([422, { detail: [fault] }])
})

test('422 lists every fault of the request', async () => {
  const { status, body } = await buy({ resource_amount: 0, max_price_sun: 'x' })
  expect(status).toBe(422)
  expect(body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc, type])).toEqual(
    expect.arrayContaining([
      [['body', 'receiver_address'], 'missing'],
      [['body', 'resource_amount'], 'greater_than'],
      [['body', 'max_price_sun'], 'int_type'],
    ]),
  )
  expect(body.detail).toHaveLength(3)
})

test('422 no body, not JSON, not an object', async () => {
  for (const [body, fault] of [
    [undefined, { loc: ['body'], type: 'missing' }],
    ['{', { loc: ['body'], type: 'json_invalid' }],
    ['[]', { loc: ['body'], type: 'object_type' }],
    ['null', { loc: ['body'], type: 'object_type' }],
  ] as const) {
    const { status, body: answer } = await buy(body)
    expect([body, status, answer.detail]).toEqual([
      body,
      422,
      [{ ...fault, msg: expect.any(String) }],
    ])
  }
})

test('422 comes before invalid_idempotency_key', async () => {
  const { status } = await buy({ ...wish, resource_amount: 0 }, { 'idempotency-key': '' })
  expect(status).toBe(422)
})
