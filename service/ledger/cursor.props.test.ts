import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCursor, writeCursor } from './cursor.ts'

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const account = fc.uuid()
const version = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })

test('a cursor reads back as the version it was written for', () => {
  fc.assert(
    fc.property(secret, account, version, (key, who, at) => {
      expect(readCursor(key, who, writeCursor(key, who, at))).toBe(at)
    }),
  )
})

test('a cursor is no cursor on another account or under another secret', () => {
  fc.assert(
    fc.property(secret, secret, account, account, version, (key, otherKey, who, other, at) => {
      fc.pre(who !== other && Buffer.compare(key, otherKey) !== 0)
      const cursor = writeCursor(key, who, at)
      expect(readCursor(key, other, cursor)).toBeUndefined()
      expect(readCursor(otherKey, who, cursor)).toBeUndefined()
    }),
  )
})

test('no edit of a cursor is a cursor, not even another spelling of the same bytes', () => {
  const letter = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(secret, account, version, fc.nat(31), letter, (key, who, at, place, other) => {
      const cursor = writeCursor(key, who, at)
      fc.pre(cursor[place] !== other)
      const edited = cursor.slice(0, place) + other + cursor.slice(place + 1)
      expect(readCursor(key, who, edited)).toBeUndefined()
    }),
  )
})

test('no other text is a cursor', () => {
  fc.assert(
    fc.property(secret, account, fc.string({ maxLength: 40 }), (key, who, text) => {
      expect(readCursor(key, who, text)).toBeUndefined()
    }),
  )
})
