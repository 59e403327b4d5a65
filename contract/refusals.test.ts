import { expect, test } from 'vitest'
import {
  faultsBody,
  type RefusalCode,
  refusalBody,
  refusals,
  refuse,
  refuseFor,
  wireCode,
} from './refusals.ts'

const codes = Object.keys(refusals) as RefusalCode[]
const entry = (code: RefusalCode) => {
  const { status, shape, when } = refusals[code]
  const { text, extra = [] } = refusals[code] as { text?: string; extra?: readonly string[] }
  return { status, shape, when, text, extra }
}
const BASE = 'https://energy.example'

test.each(codes)('%s has a status, a meaning, and the body its shape says', (code) => {
  const { status, shape, when, text, extra } = entry(code)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(when).toMatch(/^\S.*\.$/)
  const amounts = extra.filter((name) => name !== 'message')
  const given = Object.fromEntries(amounts.map((name, at) => [name, 1_500_000 + at]))
  const whole = JSON.parse(refusalBody(refuse(code, given), BASE))
  const { detail } = whole
  const { message, doc_url } = extra.includes('message') ? detail : whole
  expect(doc_url).toBe(`${BASE}/docs/errors/${code}`)
  // Two sentences: what happened, and what to do. People think in TRX.
  expect(message).toMatch(/^\w.*\. .+\.$/s)
  expect(message).not.toMatch(/SUN\b/)
  expect(message).not.toMatch(/\d{7}/)
  if (shape === 'text') {
    expect(text).toMatch(/\S/)
    expect(whole).toEqual({ detail: text, message, doc_url })
  } else if (!extra.includes('message')) {
    expect(whole).toEqual({ detail: { [shape]: code, ...given }, message, doc_url })
  } else {
    const named = shape === 'code' ? 'code' : 'error'
    const inner = { [named]: wireCode(code), message, ...given, doc_url }
    expect(whole).toEqual(shape === 'twice' ? { ...inner, detail: inner } : { detail: inner })
  }
})

test("a refusal's own message is preferred, and stays where api.md has it", () => {
  expect(refusalBody(refuse('validation_error', { message: 'Give less.' }))).toBe(
    '{"detail":{"error":"validation_error","message":"Give less.","doc_url":"/docs/errors/validation_error"}}',
  )
  const { detail, message } = JSON.parse(refusalBody(refuse('api_key_required', { message: 'x' })))
  expect([detail, message]).toEqual(['API key required', 'x'])
})

test('a rate limit says how long to wait', () => {
  expect(JSON.parse(refusalBody(refuseFor(12))).message).toContain('in 12 s')
})

test('amounts in words are TRX', () => {
  const extra = { current_balance: 1_949_999n, required_amount: 1_950_000n }
  const { message } = JSON.parse(refusalBody(refuse('insufficient_balance', extra)))
  expect(message).toMatch(
    /^This costs 1.95 TRX and 1.949999 TRX can be spent. Nothing was charged./,
  )
})

test('faults of a request are a list, and a sentence beside it', () => {
  const faults = [
    { loc: ['body', 'resource_amount'], msg: 'Must be an integer', type: 'int_type' },
    { loc: ['body'], msg: 'Is wrong', type: 'x' },
  ]
  expect(JSON.parse(faultsBody(faults))).toEqual({
    detail: faults,
    message:
      'resource_amount: Must be an integer. body: Is wrong. Correct it, then send the request again.',
    doc_url: '/docs/errors/invalid_request',
  })
})

test('no refusal is 402, and a 422 of the catalogue has a code: a list of faults has none', () => {
  expect(codes.filter((code) => entry(code).status === (402 as never))).toEqual([])
  const shapes = codes.filter((code) => entry(code).status === 422).map((code) => entry(code).shape)
  expect(new Set(shapes)).toEqual(new Set(['error', 'twice']))
})

test.each([
  ['api_key_required', 401, '{"detail":"API key required",'],
  ['invalid_api_key', 401, '{"detail":"Invalid API key",'],
  ['user_not_found', 401, '{"detail":"User not found",'],
  ['not_found_path', 404, '{"detail":"Not Found",'],
  ['method_not_allowed', 405, '{"detail":"Method Not Allowed",'],
  ['unsupported_resource', 400, '{"detail":{"error":"unsupported_resource"},'],
  ['autoenergy_not_found', 404, '{"error":"not_found","message":'],
  ['order_amount_below_minimum', 400, '{"detail":{"code":"order_amount_below_minimum","message":'],
] as const)('%s is %i and begins with %s', (code, status, start) => {
  expect(refusals[code].status).toBe(status)
  expect(refusalBody(refuse(code)).slice(0, start.length)).toBe(start)
})

test('amounts of any size are exact', () => {
  const extra = { current_balance: -(2n ** 63n), required_amount: 2n ** 63n - 1n }
  expect(refusalBody(refuse('insufficient_balance', extra))).toContain(
    '{"detail":{"error":"insufficient_balance","current_balance":-9223372036854775808,"required_amount":9223372036854775807},',
  )
})
