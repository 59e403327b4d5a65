import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildTransaction } from '@ergon/tron'
import { expect, test } from 'vitest'
import { createChain } from './createChain.ts'
import { fundedKeys } from './networkKeys.ts'

const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]

/** Reachable memory; array buffers are freed by a later collection than the one that finds them. */
async function liveBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let pass = 0; pass < 4; pass++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// Without signatures: they cost a minute here and allocate nothing that stays. The bench has them.
test('2,000 blocks of 50 transactions in flat memory', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'devnet-'))
  const chain = createChain({ dataDir, signerOf: () => a.address })
  const value = { owner_address: a.address, to_address: b.address, amount: 1n }
  const signatures = ['1b'.padStart(130, '7')]
  let atQuarter = 0
  for (let block = 1; block <= 2_000; block++) {
    for (let i = 0; i < 50; i++) {
      const timestamp = chain.head.timestamp + i
      const built = buildTransaction(
        { type: 'TransferContract', value },
        { headBlock: chain.head, timestamp },
      )
      chain.broadcast({ ...built, txid: built.txId, signatures })
    }
    chain.mine()
    if (block === 500) atQuarter = await liveBytes()
  }
  const grown = (await liveBytes()) - atQuarter
  // 75,000 more transactions: 16 bytes each in the index, twice at most, and the offsets of blocks.
  expect(grown).toBeLessThan(8_000_000)
  expect(chain.head.number).toBe(2_001)
  const first = chain.block(2)!
  expect(chain.transaction(first.txids[7]!)!.info.blockNumber).toBe(2)
  chain.close()
  rmSync(dataDir, { recursive: true })
})
