import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from './json.ts'

/** As parseJson returns it: a number if that is exact, else a bigint. */
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

test('fields that nobody reads may lose an integer, no other field may', () => {
  const name = fc.constantFrom('timestamp', 'amount', 'x"timestamp', 'x,"timestamp', 'timestamp"')
  const leaf = fc.oneof(integer, fc.constantFrom('timestamp', '"timestamp":1', ''))
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(name, tie('json'), { maxKeys: 4 }),
    ),
  }))
  const withoutUnread = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutUnread)
    if (typeof value !== 'object' || value === null) return value
    const read = Object.entries(value).filter(([key]) => key !== 'timestamp')
    return Object.fromEntries(read.map(([key, item]) => [key, withoutUnread(item)]))
  }
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1), (given, spaces) => {
      const text = spaced(stringifyJson(given), spaces)
      expect(withoutUnread(parseJson(text, 'timestamp'))).toEqual(withoutUnread(given))
    }),
    { numRuns: 1_000 },
  )
})

/** The same JSON with whitespace between its parts, as a node behind a proxy may print it. */
function spaced(text: string, spaces: number | undefined): string {
  return spaces === undefined ? text : text.replace(/("(?:[^"\\]|\\.)*")|([:,[{])/g, '$1$2 ')
}

test('a time in nanoseconds does not make a block slow, an amount beside it is exact', () => {
  const text = '{"timestamp":1700000000000000001,"amount":1}'
  expect(parseJson(text, 'timestamp')).toEqual({ timestamp: 1.7e18, amount: 1 })
  const both = '{"timestamp":1700000000000000001,"amount":9007199254740993}'
  expect(parseJson(both, 'timestamp')).toMatchObject({ amount: 9007199254740993n })
})
