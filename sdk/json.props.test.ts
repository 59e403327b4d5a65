import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from './json.ts'
import { sunToTrx, trxToSun } from './money.ts'

const sun = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const isPlainName = (name: string) =>
  !/_sun$|^current_balance$|^required_amount$|^__proto__$/.test(name)
const plain = fc.dictionary(
  fc.string().filter(isPlainName),
  fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
)

test('an amount of any size arrives exactly, whatever stands around it', () => {
  fc.assert(
    fc.property(sun, plain, fc.string(), (amount, others, text) => {
      const rest = JSON.stringify({ ...others, text })
      const read = parseJson(`{"a":[{"amount_sun": ${amount}, "rest":${rest}}]}`)
      expect(read).toEqual({ a: [{ amount_sun: amount, rest: JSON.parse(rest) }] })
    }),
  )
})

test('a string that looks like an amount stays a string', () => {
  const title = '"amount_sun":12, \\"balance_sun\\":5'
  expect(parseJson(JSON.stringify({ title, amount_sun: 7 }))).toEqual({ title, amount_sun: 7n })
})

test('amounts are bigint by their name, also small ones; other numbers stay numbers', () => {
  const read = parseJson('{"price_sun":1,"required_amount":2,"cost_sun":null,"energy":65000}')
  expect(read).toEqual({ price_sun: 1n, required_amount: 2n, cost_sun: null, energy: 65_000 })
})

test('what the service would round or refuse is not sent', () => {
  expect(stringifyJson({ max_price_sun: 5n, n: 1 })).toBe('{"max_price_sun":5,"n":1}')
  expect(stringifyJson({ max_price_sun: 2n ** 53n - 1n })).toContain('9007199254740991')
  expect(() => stringifyJson({ max_price_sun: 2n ** 53n })).toThrow('max_price_sun')
})

test('TRX and SUN are the same amount in both directions', () => {
  fc.assert(fc.property(sun, (amount) => trxToSun(sunToTrx(amount)) === amount))
  expect([sunToTrx(1_950_000n), sunToTrx(-2_860_000n), sunToTrx(12_000_000n)]).toEqual([
    '1.95',
    '-2.86',
    '12',
  ])
  for (const wrong of ['', '1e3', '.5', '1.0000001', '1,5']) expect(() => trxToSun(wrong)).toThrow()
})
