import { hexToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { isAddress, parseAddress, toBase58, toHex } from './address.ts'
import {
  addressAt,
  addressOfPrivateKey,
  addressOfPublicKey,
  extendedPublicKey,
  privateKeyAt,
} from './keys.ts'
import addresses from './vectors/addresses.json' with { type: 'json' }
import bip44 from './vectors/bip44.json' with { type: 'json' }

test.each(addresses.keys)('key $name has its address', (vector) => {
  expect(toBase58(addressOfPrivateKey(vector.privateKey))).toBe(vector.base58)
  if (vector.hex) expect(addressOfPrivateKey(vector.privateKey)).toBe(vector.hex)
  if (vector.publicKeyCompressed) {
    expect(toBase58(addressOfPublicKey(hexToBytes(vector.publicKeyCompressed)))).toBe(vector.base58)
  }
})

test.each(addresses.pairs)('$name is one address in both forms', ({ hex, base58 }) => {
  expect(toHex(base58)).toBe(hex)
  expect(toBase58(hex)).toBe(base58)
  expect(isAddress(base58)).toBe(true)
  expect(parseAddress(base58)).toBe(hex)
  expect(parseAddress(hex.toUpperCase())).toBe(hex)
})

test.each(addresses.invalid)('%s is no address', (text) => {
  expect(isAddress(text)).toBe(false)
  expect(parseAddress(text)).toBeUndefined()
  expect(() => toHex(text)).toThrow('not a TRON address')
})

const derivations = bip44.sets.flatMap(({ mnemonic, derivations }) =>
  derivations.map((derivation) => ({ mnemonic, ...derivation })),
)

test.each(derivations)('$path of "$mnemonic"', (vector) => {
  const [, account, index] = /^m\/44'\/195'\/(\d+)'\/0\/(\d+)$/.exec(vector.path)!.map(Number)
  const privateKey = privateKeyAt(vector.mnemonic, index!, account!)
  expect(toBase58(addressOfPrivateKey(privateKey))).toBe(vector.address)
  if ('privateKey' in vector) expect(privateKey).toBe(vector.privateKey)
  const xpub = extendedPublicKey(vector.mnemonic, account!)
  expect(toBase58(addressAt(xpub, index!))).toBe(vector.address)
})
