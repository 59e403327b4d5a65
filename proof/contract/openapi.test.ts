// Proves: http.
import { eventTypes, openApi, routes, sandboxRoutes } from '@ergon/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { assertPublished } from '../testing/published.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

type Field = Record<string, unknown>
type Operation = {
  parameters: { name: string; required: boolean; schema: Field }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Field }> }
  responses: Record<string, { content?: Record<string, { schema: Field }> }>
}
const BOUNDS = { minimum: 32_000, maximum: 5_000_000 }
const document = JSON.parse(JSON.stringify(openApi(routes, sandboxRoutes, BOUNDS)))
const operationAt = (path: string, method: string): Operation => document.paths[path][method]
const parameterOf = (path: string, method: string, name: string) =>
  operationAt(path, method).parameters.find((one) => one.name === name)!
const fieldOf = (path: string, method: string, name: string): Field => {
  const { properties } = operationAt(path, method).requestBody!.content['application/json']!
    .schema as { properties: Record<string, Field> }
  return properties[name]!
}

test("GET /openapi.json is that document, with the operator's bounds of today", async () => {
  const { status, body } = await app.call('GET', '/openapi.json')
  expect([status, body]).toEqual([200, document])
  const settings = { min_amount: 40_000 }
  expect((await app.call('POST', '/sandbox/settings', { body: settings })).status).toBe(200)
  const changed = (await app.call('GET', '/openapi.json')).body.paths['/agent/quote'].get
  expect(changed.parameters[0].schema).toMatchObject({ minimum: 40_000, maximum: 5_000_000 })
})

describe('every answer of the other tests is held against it, so', () => {
  const asked = { method: 'GET', url: `${'http://x'}/v1/estimate` }
  const type = 'application/json; charset=utf-8'
  const body = { total_price_sun: 1, total_price_trx: '1', min_amount: 1, max_amount: 2 }

  test('an answer as published passes', () => {
    assertPublished(asked, { status: 200, type, body })
    const refused = { detail: { error: 'invalid_duration' }, message: 'x', doc_url: '/x' }
    assertPublished(asked, { status: 400, type, body: refused })
  })

  test.each([
    ['a field that is missing', { status: 200, type, body: { total_price_sun: 1 } }],
    ['a field of another type', { status: 200, type, body: { ...body, min_amount: '1' } }],
    [
      'an amount that is not canonical',
      { status: 200, type, body: { ...body, total_price_trx: '1.0' } },
    ],
    ['a status that is not there', { status: 418, type, body }],
    ['another type of content', { status: 200, type: 'text/html', body }],
    ['a refusal of another endpoint', { status: 400, type, body: { detail: { error: 'no' } } }],
    ['a refusal without its code', { status: 400, type, body: { detail: {} } }],
    ['an empty refusal', { status: 400, type, body: {} }],
  ])('%s does not', (_name, answer) => {
    expect(() => assertPublished(asked, answer)).toThrow('GET /v1/estimate answered')
  })
})

test('no parameter with a default is required, and every other bound is published', () => {
  const every = Object.values(document.paths).flatMap((path) => Object.values(path as object))
  for (const { parameters = [] } of every as Partial<Operation>[]) {
    for (const { name, required, schema } of parameters) {
      expect([name, required && 'default' in schema]).toEqual([name, false])
    }
  }
  expect(parameterOf('/orders', 'get', 'page')).toMatchObject({
    required: false,
    schema: { minimum: 1, default: 1 },
  })
  expect(parameterOf('/orders', 'get', 'page_size').schema).toMatchObject({ maximum: 100 })
})

test('what an endpoint judges by itself is published with its form', () => {
  const only = (word: string) => ({ enum: [word], default: word })
  expect(parameterOf('/estimate', 'get', 'resource_type').schema).toMatchObject(only('ENERGY'))
  expect(fieldOf('/buy', 'post', 'duration')).toMatchObject(only('1h'))
  expect(parameterOf('/buy', 'post', 'Idempotency-Key')).toMatchObject({
    required: false,
    schema: { minLength: 1, maxLength: 128 },
  })
  expect(parameterOf('/agent/quote', 'get', 'energy')).toMatchObject({
    required: true,
    schema: { type: 'integer', ...BOUNDS },
  })
  expect(fieldOf('/buy', 'post', 'resource_amount')).toMatchObject(BOUNDS)
  expect(fieldOf('/agent/configs', 'post', 'energy_per_unit')).toMatchObject(BOUNDS)
  expect(fieldOf('/agent/configs', 'post', 'base_payment_sun')).toMatchObject({ multipleOf: 1_000 })
  expect(parameterOf('/transactions', 'get', 'cursor').schema).toMatchObject({ maxLength: 32 })
  expect(fieldOf('/buy', 'post', 'receiver_address')).toMatchObject({
    minLength: 34,
    maxLength: 34,
  })
  expect(fieldOf('/agent/configs', 'post', 'title')).toMatchObject({ maxLength: 40 })
  const key = new RegExp(parameterOf('/buy', 'post', 'Idempotency-Key').schema.pattern as string)
  expect(['two words', ' ', '', 'é'].map((text) => key.test(text))).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('too large a body is documented where there can be one', () => {
  for (const [path, methods] of Object.entries(document.paths as Record<string, object>)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (method === 'servers') continue
      const statuses = Object.keys((operation as Operation).responses)
      expect([path, method, statuses.includes('413')]).toEqual([path, method, method !== 'get'])
    }
  }
})

const described = Object.keys(eventTypes).filter((type) => type !== 'webhook.disabled')
test.each(described)('the description of %s has an example that fits it', (type) => {
  const { schema, example } = document.webhooks[type].post.requestBody.content['application/json']
  const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  expect([check(example), check.errors]).toEqual([true, null])
  expect(Object.keys(schema.properties.data.properties)).toEqual(
    expect.arrayContaining(Object.keys(example.data)),
  )
})
