import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { faultOf, invalidJson } from './faults.ts'

const ajv = new Ajv({ allErrors: true, strict: false })
ajv.addFormat('text', (value: string) => !value.includes('\0'))

test.each([
  ['missing', { required: ['x'] }, {}],
  ['int_type', { type: 'integer' }, '65000'],
  ['string_type', { type: 'string' }, 1],
  ['bool_type', { type: 'boolean' }, 'true'],
  ['object_type', { type: 'object' }, []],
  ['array_type', { type: 'array' }, {}],
  ['greater_than', { exclusiveMinimum: 0 }, 0],
  ['greater_than_equal', { minimum: 1 }, 0],
  ['less_than_equal', { maximum: 1 }, 2],
  ['string_too_short', { minLength: 1 }, ''],
  ['string_too_long', { maxLength: 1 }, 'ab'],
  ['string_pattern', { pattern: '^T' }, 'x'],
  ['enum', { enum: ['a'] }, 'b'],
  ['frozen', { not: {} }, 'x'],
  ['value_error', { format: 'text' }, '\0'],
])('a fault is called %s', (type, schema, value) => {
  const check = ajv.compile(schema)
  expect(check(value)).toBe(false)
  expect(check.errors!.map((error) => faultOf('body', error))).toMatchObject([
    { loc: expect.arrayContaining(['body']), msg: expect.stringMatching(/^[A-Z]/), type },
  ])
})

test('a body that is not JSON is called json_invalid', () => {
  expect(invalidJson).toMatchObject({ loc: ['body'], type: 'json_invalid' })
})
