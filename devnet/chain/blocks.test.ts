import {
  blockId,
  decodeTransaction,
  encodeHeaderRaw,
  headerDigest,
  recover,
  transactionRoot,
  txId,
} from '@ergon/tron'
import { expect, test } from 'vitest'
import type { Block } from './blockStore.ts'
import { createChain } from './createChain.ts'
import { fundedKeys, witnessKey } from './networkKeys.ts'
import { sendAs } from './sender.ts'

const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]

function transfer(amount: bigint) {
  const value = { owner_address: a.address, to_address: b.address, amount }
  return { type: 'TransferContract', value } as const
}

/** Everything about a block that can be checked without trusting the devnet. */
function expectSound(block: Block, parent: Block): void {
  const bytes = encodeHeaderRaw(block.header)
  expect(block.number).toBe(parent.number + 1)
  expect(block.header.parentHash).toBe(parent.id)
  expect(block.id).toBe(blockId(bytes, block.number))
  expect(block.header.txTrieRoot).toBe(transactionRoot(block.transactions))
  expect(block.timestamp).toBeGreaterThan(parent.timestamp)
  expect(recover(headerDigest(bytes), block.witnessSignature)).toBe(witnessKey.address)
  for (const [index, transaction] of block.transactions.entries()) {
    const { rawBytes, raw, signatures, contractRet } = decodeTransaction(transaction)
    expect(txId(rawBytes)).toBe(block.txids[index])
    expect(contractRet).toBe('SUCCESS')
    expect(recover(block.txids[index]!, signatures[0]!)).toBe(raw.contract.value.owner_address)
  }
}

test('id, parent, root, time and witness signature of every block can be checked', () => {
  const chain = createChain()
  for (let number = 0; number < 5; number++) {
    for (let i = 0; i < number; i++) sendAs(chain, a.privateKey, transfer(BigInt(i + 1)))
    chain.mine()
  }
  expect(chain.head.number).toBe(6)
  for (let n = 1; n <= chain.head.number; n++) expectSound(chain.block(n)!, chain.block(n - 1)!)
  expect(chain.block(2)!.header.txTrieRoot).toBe('00'.repeat(32))
  expect(chain.head.txids).toHaveLength(4)
})

test('blocks made at the same instant still have rising times, and the clock catches up', () => {
  const chain = createChain({ now: () => 1_700_000_000_000 })
  for (let i = 0; i < 5; i++) chain.mine()
  expect(chain.head.timestamp).toBe(1_700_000_000_005)
  chain.clock.advance(3_000)
  expect(chain.mine().timestamp).toBe(1_700_000_003_000)
  expect(() => chain.clock.advance(-1)).toThrow('forward')
})

test('a transaction broadcast just before the block is in that block', () => {
  const chain = createChain()
  const txid = sendAs(chain, a.privateKey, transfer(1n))
  expect(chain.mine().txids).toEqual([txid])
  expect(chain.pool.size).toBe(0)
})

test('the solid block follows the head at the lag and never goes back', () => {
  const chain = createChain({ solidLag: 3 })
  expect(chain.solidNumber).toBe(0)
  const seen: number[] = []
  for (let i = 0; i < 6; i++) {
    chain.mine()
    seen.push(chain.head.number - chain.solidNumber)
  }
  expect(seen).toEqual([2, 3, 3, 3, 3, 3])
  const { solidNumber } = chain
  chain.reorg(3)
  expect(chain.solidNumber).toBe(solidNumber + 1)
})
