import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from './json.ts'

/** As parseJson has it: a number while that is exact, else a bigint. */
const integer = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n))

test('no integer is lost between stringifyJson and parseJson', () => {
  const value = fc.dictionary(fc.string(), fc.oneof(integer, fc.array(integer), fc.string()))
  fc.assert(
    fc.property(value, (given) => {
      expect(parseJson(stringifyJson(given))).toEqual(given)
    }),
  )
})

test('but for the bigints it reads as JSON.parse does', () => {
  const rounded = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? Number(item) : item)),
    )
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(rounded(parseJson(text))).toEqual(rounded(JSON.parse(text)))
    }),
  )
})

test.each([
  ['{"a":9007199254740993}', { a: 9007199254740993n }],
  ['[ -9007199254740993 , 1]', [-9007199254740993n, 1]],
  ['9223372036854775807', 9223372036854775807n],
  ['{"a":9007199254740991}', { a: 9007199254740991 }],
  ['{"a":"9007199254740993","b":1}', { a: '9007199254740993', b: 1 }],
  ['{"a":1.0000000000000000001,"b":1e300}', { a: 1, b: 1e300 }],
])('%s', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

test('broken JSON is a SyntaxError, with and without big integers', () => {
  expect(() => parseJson('{"a":')).toThrow(SyntaxError)
  expect(() => parseJson('{"a":9007199254740993')).toThrow(SyntaxError)
})
