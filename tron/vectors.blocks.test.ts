import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { blockId, encodeHeaderRaw, headerDigest, transactionRoot } from './block.ts'
import { recover } from './signature.ts'
import vectors from './vectors/blocks.json' with { type: 'json' }

test.each(vectors.blocks)('$network header $blockID: id, digest and witness', (block) => {
  const header = block.block_header.raw_data
  const bytes = encodeHeaderRaw(header)
  expect(headerDigest(bytes)).toBe(block.sha256_header_raw)
  expect(blockId(bytes, header.number)).toBe(block.blockID)
  expect(recover(headerDigest(bytes), block.block_header.witness_signature)).toBe(
    block.recoveredBlockSigner,
  )
})

// No complete real block was found, so the expected root is computed by hand as java-tron's
// MerkleTree does.
test('the transaction root pairs leaves and carries an odd one up unchanged', () => {
  const [a, b, c] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)] as const
  const pair = sha256(concatBytes(sha256(a), sha256(b)))
  expect(transactionRoot([])).toBe('00'.repeat(32))
  expect(transactionRoot([a])).toBe(bytesToHex(sha256(a)))
  expect(transactionRoot([a, b])).toBe(bytesToHex(pair))
  expect(transactionRoot([a, b, c])).toBe(bytesToHex(sha256(concatBytes(pair, sha256(c)))))
})
