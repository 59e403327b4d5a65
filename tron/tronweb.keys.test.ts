import fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { expect, test } from 'vitest'
import { isAddress, parseAddress, toBase58, toHex } from './address.ts'
import { address, privateKey } from './arbitraries.ts'
import {
  addressAt,
  addressOfPrivateKey,
  extendedPublicKey,
  generateMnemonic,
  KeyError,
  privateKeyAt,
} from './keys.ts'
import { hashMessageV2, signMessageV2, verifyMessageV2 } from './message.ts'

test('addresses convert as TronWeb converts them', () => {
  fc.assert(
    fc.property(address, (hex) => {
      const base58 = TronWeb.address.fromHex(hex)
      expect(toBase58(hex)).toBe(base58)
      expect(toHex(base58)).toBe(TronWeb.address.toHex(base58).toLowerCase())
      expect(parseAddress(`0x${hex}`)).toBe(hex)
    }),
  )
})

test('one changed character is no address, for TronWeb and for us', () => {
  const change = fc.record({
    hex: address,
    at: fc.nat({ max: 33 }),
    by: fc.string({ maxLength: 2 }),
  })
  fc.assert(
    fc.property(change, ({ hex, at, by }) => {
      const base58 = toBase58(hex)
      const changed = base58.slice(0, at) + by + base58.slice(at + 1)
      expect(isAddress(changed)).toBe(changed === base58)
      expect(TronWeb.isAddress(changed)).toBe(changed === base58)
    }),
  )
})

test('a private key has the address TronWeb gives it', () => {
  fc.assert(
    fc.property(privateKey, (key) => {
      expect(toBase58(addressOfPrivateKey(key))).toBe(TronWeb.address.fromPrivateKey(key))
    }),
    { numRuns: 50 },
  )
})

test('a new mnemonic derives the accounts TronWeb derives, with and without its secrets', () => {
  const mnemonic = generateMnemonic()
  for (const [account, index] of [
    [0, 0],
    [0, 1],
    [0, 2_147_483_647],
    [3, 17],
  ] as const) {
    const theirs = TronWeb.fromMnemonic(mnemonic, `m/44'/195'/${account}'/0/${index}`)
    const key = privateKeyAt(mnemonic, index, account)
    expect(`0x${key}`).toBe(theirs.privateKey)
    expect(toBase58(addressOfPrivateKey(key))).toBe(theirs.address)
    expect(toBase58(addressAt(extendedPublicKey(mnemonic, account), index))).toBe(theirs.address)
  }
})

test('what is no key, mnemonic or index is refused, and the secret is not repeated', () => {
  const secret = `${'zebra '.repeat(11)}abacus`
  expect(() => privateKeyAt(secret, 0)).toThrow(KeyError)
  expect(() => privateKeyAt(secret, 0)).not.toThrow(/zebra/)
  expect(() => addressOfPrivateKey('00'.repeat(32))).toThrow(KeyError)
  expect(() => addressOfPrivateKey('ff'.repeat(32))).toThrow(KeyError)
  expect(() => addressAt('xpub', 0)).toThrow(KeyError)
  const xpub = extendedPublicKey(generateMnemonic())
  expect(() => addressAt(xpub, -1)).toThrow(KeyError)
  expect(() => addressAt(xpub, 0x8000_0000)).toThrow(KeyError)
})

test('messages are hashed, signed and verified as TronWeb does it', () => {
  const message = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 200 }))
  fc.assert(
    fc.property(message, privateKey, (text, key) => {
      const signature = signMessageV2(text, key)
      expect(hashMessageV2(text)).toBe(utils.message.hashMessage(text))
      expect(signature).toBe(utils.message.signMessage(text, key))
      expect(toBase58(verifyMessageV2(text, signature)!)).toBe(
        utils.message.verifyMessage(text, signature),
      )
    }),
    { numRuns: 50 },
  )
})
