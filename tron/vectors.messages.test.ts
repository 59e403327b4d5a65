import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { toHex } from './address.ts'
import { hashMessageV2, signMessageV2, verifyMessageV2 } from './message.ts'
import vectors from './vectors/sign-message-v2.json' with { type: 'json' }

function messageOf(vector: (typeof vectors.cases)[number]): string | Uint8Array {
  if (vector.encoding === 'hexbytes') return hexToBytes(vector.message.slice(2))
  if (vector.encoding === 'ethersId') return keccak_256(new TextEncoder().encode(vector.message))
  return vector.message
}

test.each(vectors.cases)('$name: hash, signature and signer', (vector) => {
  const message = messageOf(vector)
  if (vector.hash) expect(hashMessageV2(message)).toBe(vector.hash)
  expect(signMessageV2(message, vector.privateKey)).toBe(vector.signature)
  expect(verifyMessageV2(message, vector.signature)).toBe(toHex(vector.address))
})

test.each(['', '0x', '0x00', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, 'not hex at all'])(
  'junk "%s" is nobody’s signature',
  (junk) => {
    expect(verifyMessageV2('hello world', junk)).toBeUndefined()
  },
)
