import { expect, test } from 'vitest'
import { type RefusalCode, refusalBody, refusals, refuse, wireCode } from './refusals.ts'

const codes = Object.keys(refusals) as RefusalCode[]
const entry = (code: RefusalCode) => {
  const { status, shape, when } = refusals[code]
  const { text, extra = [] } = refusals[code] as { text?: string; extra?: readonly string[] }
  return { status, shape, when, text, extra }
}

test.each(codes)('%s has a status, a meaning, and the body its shape says', (code) => {
  const { status, shape, when, text, extra } = entry(code)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(when).toMatch(/^\S.*\.$/)
  const given = Object.fromEntries(extra.map((name) => [name, `<${name}>`]))
  const body = JSON.parse(refusalBody(refuse(code, given)))
  if (shape === 'twice') {
    const { detail, ...top } = body
    expect(top).toEqual({ error: wireCode(code), ...given })
    expect(detail).toEqual(top)
    return
  }
  expect(Object.keys(body)).toEqual(['detail'])
  if (shape === 'text') {
    expect(body.detail).toBe(text)
    expect(text).toMatch(/\S/)
  } else {
    expect(body.detail).toEqual({ [shape]: code, ...given })
  }
})

test('no refusal is 402, and a 422 of the catalogue has a code: a list of faults has none', () => {
  expect(codes.filter((code) => entry(code).status === (402 as never))).toEqual([])
  const shapes = codes.filter((code) => entry(code).status === 422).map((code) => entry(code).shape)
  expect(new Set(shapes)).toEqual(new Set(['error', 'twice']))
})

test.each([
  ['api_key_required', 401, '{"detail":"API key required"}'],
  ['invalid_api_key', 401, '{"detail":"Invalid API key"}'],
  ['user_not_found', 401, '{"detail":"User not found"}'],
  ['not_found_path', 404, '{"detail":"Not Found"}'],
  ['method_not_allowed', 405, '{"detail":"Method Not Allowed"}'],
  ['unsupported_resource', 400, '{"detail":{"error":"unsupported_resource"}}'],
  ['autoenergy_not_found', 404, '{"error":"not_found","detail":{"error":"not_found"}}'],
  ['order_amount_below_minimum', 400, '{"detail":{"code":"order_amount_below_minimum"}}'],
] as const)('%s is %i %s', (code, status, body) => {
  expect([refusals[code].status, refusalBody(refuse(code))]).toEqual([status, body])
})

test('amounts of any size are exact', () => {
  const extra = { current_balance: -(2n ** 63n), required_amount: 2n ** 63n - 1n }
  expect(refusalBody(refuse('insufficient_balance', extra))).toBe(
    '{"detail":{"error":"insufficient_balance","current_balance":-9223372036854775808,"required_amount":9223372036854775807}}',
  )
})
