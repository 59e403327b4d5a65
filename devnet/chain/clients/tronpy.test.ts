import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toBase58 } from '@ergon/tron'
import { expect, test } from 'vitest'
import { startDevnet } from '../devnet.ts'
import { fundedKeys, usdtAddress, witnessKey } from '../networkKeys.ts'

// Ordinary use of tronpy, where a Python with it is there: PYTHON names another than python3.

const python = process.env.PYTHON ?? 'python3'
const isThere = spawnSync(python, ['-c', 'import tronpy']).status === 0
const script = join(import.meta.dirname, 'tronpy_use.py')
const run = promisify(execFile)

test.skipIf(!isThere).each(['one port', 'port of a node'])(
  'tronpy (only where python3 has it) sends, stakes, votes and uses a token: %s',
  async (port) => {
    const devnet = await startDevnet({
      blockMs: 100,
      solidLag: 1,
      nodePorts: { full: 0, solidity: 0 },
    })
    try {
      const url = port === 'one port' ? devnet.url : devnet.node!.url
      const [a, b] = fundedKeys
      const others = [b!.address, usdtAddress, witnessKey.address].map(toBase58)
      const { stdout } = await run(python, [script, url, a!.privateKey, ...others])
      expect(JSON.parse(stdout)).toEqual({
        received: '1.5',
        transfer: true,
        tokens: 25,
        symbol: 'USDT',
        decimals: 6,
        token_result: 'SUCCESS',
        energy: 64_285,
        votes: 20,
        energy_limit: true,
        permission: 1,
        block: true,
        parameters: true,
        transaction: 'SUCCESS',
        no_account: true,
        no_transaction: true,
        forged: true,
        unpaid: true,
      })
    } finally {
      await devnet.close()
    }
  },
)
