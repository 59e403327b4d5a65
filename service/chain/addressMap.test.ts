import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAddressMap } from './addressMap.ts'

// Few different endings, so that many addresses hash to the same slot.
const word = fc.constantFrom('00000000', '00000001', 'ffffffff', '80000000', 'deadbeef')
const address = fc.array(word, { minLength: 5, maxLength: 5 }).map((words) => `41${words.join('')}`)
const purpose = fc.constantFrom('deposit', 'agent', 'hot')

test('it answers as a Map does, however it grew', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(address, purpose), { maxLength: 300 }),
      fc.array(address, { maxLength: 50 }),
      (entries, others) => {
        const plain = new Map<string, string>()
        const ours = createAddressMap(2)
        for (const [key, value] of entries) {
          plain.set(key, value)
          ours.set(key, value)
        }
        expect(ours.size).toBe(plain.size)
        for (const key of [...plain.keys(), ...others]) {
          expect([ours.get(key), ours.has(key)]).toEqual([plain.get(key), plain.has(key)])
        }
      },
    ),
  )
})

test('what is no address is never ours, and cannot be watched', () => {
  const map = createAddressMap()
  const ours = `41${'0'.repeat(39)}a`
  map.set(ours, 'deposit')
  const others = [
    ...['', '41', ours.slice(1), `${ours}0`, 'x'.repeat(42)],
    // The same twenty bytes with another prefix, in upper case, or with characters that number
    // parsing ignores.
    ...[`a0${ours.slice(2)}`, ours.toUpperCase(), ours.replace(/0000000a$/, '      0a')],
  ]
  for (const other of others) {
    expect([map.get(other), map.has(other)]).toEqual([undefined, false])
  }
  expect(() => map.set('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'deposit')).toThrow('is no address')
})
