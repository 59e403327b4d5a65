// node devnet/chain/throughput.bench.ts [--short] [--rates FILE]
//
// How many transactions a second the chain takes with every check, on one core: decode, TAPOS,
// expiration, duplicate, signature, permission, bandwidth, execution, and a block for every 200.
// WebAssembly and JavaScript recover the signer in turns within one run; medians of the rounds.
// Then 2,000 blocks of 50 transactions on disk, with the memory after each quarter; with `--rates` the
// rounds' rates are written to a file instead.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildTransaction, decodeTransaction, encodeTransaction, recover, txId } from '@ergon/tron'
import { signRecoverable } from 'tiny-secp256k1'
import type { Chain } from './chain.ts'
import { createChain } from './createChain.ts'
import { fundedKeys } from './networkKeys.ts'
import { type SignerOf, signerOf } from './signatures.ts'

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, rates: { type: 'string' } },
})
const isShort = values.short
const rounds = isShort ? 3 : 7
const perRound = isShort ? 300 : 800
const blocks = isShort ? 200 : 2_000
const perBlock = 50

const javascript: SignerOf = (digest, signature) =>
  recover(Buffer.from(digest).toString('hex'), Buffer.from(signature).toString('hex'))

setFlagsFromString('--expose-gc')
const rates = measureThroughput()
if (values.rates) writeFileSync(values.rates, JSON.stringify(rates))
else await measureMemory()

type Rate = { wall: number; cpu: number }

/** Transactions a second by the clock, of every round that counts. */
function measureThroughput(): Record<string, number[]> {
  const all: Record<string, Rate[]> = { WebAssembly: [], JavaScript: [] }
  for (let round = 0; round < rounds; round++) {
    all.WebAssembly!.push(rateWith(signerOf))
    all.JavaScript!.push(rateWith(javascript))
  }
  const byTheClock = Object.entries(all).map(([name, measured]) => {
    // The first round compiles; it is not counted.
    const counted = measured.slice(1)
    const wall = counted.map((rate) => rate.wall)
    const cpu = spread(counted.map((rate) => rate.cpu))
    console.log(`${name}: ${spread(wall)} tx/s; ${cpu} tx per second of CPU`)
    return [name, wall]
  })
  return Object.fromEntries(byTheClock)
}

function spread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b).map(Math.round)
  return `${sorted[Math.floor(sorted.length / 2)]} (${sorted[0]}–${sorted.at(-1)})`
}

/** By the clock and by CPU time: on a machine that is shared, only the second compares. */
function rateWith(signer: SignerOf): Rate {
  const chain = createChain({ signerOf: signer })
  const list = Array.from({ length: perRound }, (_, i) => signedTransfer(chain, i))
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()]
  for (const [i, bytes] of list.entries()) {
    take(chain, bytes)
    if (i % 200 === 199) chain.mine()
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    wall: perRound / ((performance.now() - began) / 1_000),
    cpu: perRound / ((user + system) / 1_000_000),
  }
}

async function measureMemory(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'devnet-bench-'))
  const chain = createChain({ dataDir })
  const began = performance.now()
  for (let block = 1; block <= blocks; block++) {
    for (let i = 0; i < perBlock; i++) take(chain, signedTransfer(chain, i))
    chain.mine()
    if (block % (blocks / 4) === 0) await printMemory(block, began)
  }
  chain.close()
  const reopening = performance.now()
  createChain({ dataDir }).close()
  console.log(`opened again in ${(performance.now() - reopening).toFixed(0)} ms`)
  rmSync(dataDir, { recursive: true })
}

async function printMemory(block: number, began: number): Promise<void> {
  const collect = runInNewContext('gc') as () => void
  // Array buffers are freed by a later pass than the one that finds them.
  for (let pass = 0; pass < 4; pass++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(
    `${block} blocks × ${perBlock}: heap ${mb(heapUsed)}, external ${mb(external)}, rss ${mb(rss)}, ${seconds} s with signing`,
  )
}

function take(chain: Chain, bytes: Uint8Array): void {
  const { raw, rawBytes, signatures } = decodeTransaction(bytes)
  chain.broadcast({ txid: txId(rawBytes), raw, rawBytes, signatures })
}

function signedTransfer(chain: Chain, i: number): Uint8Array {
  const [from, to] = [fundedKeys[i % 10]!, fundedKeys[(i + 1) % 10]!]
  const value = { owner_address: from.address, to_address: to.address, amount: 1n }
  const { rawBytes, txId: txid } = buildTransaction(
    { type: 'TransferContract', value },
    { headBlock: chain.head, timestamp: chain.head.timestamp + i },
  )
  const key = Buffer.from(from.privateKey, 'hex')
  const { signature, recoveryId } = signRecoverable(Buffer.from(txid, 'hex'), key)
  const hex = Buffer.from(signature).toString('hex') + (27 + recoveryId).toString(16)
  return encodeTransaction({ rawBytes, signatures: [hex] })
}
