import { recover, sign } from '@ergon/tron'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { selectorOf } from './contracts/selector.ts'
import { usdt } from './contracts/usdt.ts'
import { fundedKeys } from './networkKeys.ts'
import { signerOf } from './signatures.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

test('WebAssembly and JavaScript recover the same signer from every valid signature', () => {
  fc.assert(
    fc.property(bytes(32), fc.nat(9), fc.boolean(), (digest, index, low) => {
      const { address, privateKey } = fundedKeys[index]!
      const hex = Buffer.from(digest).toString('hex')
      const signature = Buffer.from(sign(hex, privateKey), 'hex')
      if (low) signature[64]! -= 27
      expect(signerOf(digest, signature)).toBe(address)
      expect(recover(hex, signature.toString('hex'))).toBe(address)
    }),
    { numRuns: 60 },
  )
})

test('WebAssembly and JavaScript agree on bytes that nobody signed', () => {
  fc.assert(
    fc.property(bytes(32), bytes(64), fc.constantFrom(0, 1, 27, 28), (digest, body, v) => {
      const signature = Buffer.concat([body, Buffer.of(v)])
      const hex = Buffer.from(digest).toString('hex')
      expect(signerOf(digest, signature)).toBe(recover(hex, signature.toString('hex')))
    }),
    { numRuns: 60 },
  )
})

test('every method’s selector is the keccak of its signature', () => {
  for (const [selector, signature] of Object.entries(usdt.methods)) {
    expect(selectorOf(signature)).toBe(selector)
  }
  // Longer than one block of the hash function; the expected value is from ethers.
  expect(selectorOf(`long(${'uint256,'.repeat(40)}bool)`)).toBe('f92f76bf')
})
