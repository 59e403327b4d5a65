import { expect, test } from 'vitest'
import { exactTrx, readableTrx } from './money.ts'

test.each([
  ['7.092', '7.092'],
  ['9', '9'],
  ['4100091.416', '4,100,091.416'],
  ['1278.132456', '1,278.132'],
  ['0.9996', '1'],
  ['0.001234', '0.00123'],
  ['0.000001', '0.000001'],
  ['-2.5', '\u22122.5'],
  ['-0.0004', '\u22120.0004'],
  ['0', '0'],
])('%s is read as %s', (trx, words) => expect(readableTrx(trx)).toBe(words))

test('the exact figure keeps every digit', () => {
  expect(exactTrx('-1278.132456')).toBe('\u22121,278.132456')
})
