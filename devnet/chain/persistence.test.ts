import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeTransaction, toBase58 } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain, resetChain } from './createChain.ts'
import { fundedKeys } from './networkKeys.ts'
import { sendAs } from './sender.ts'
import { snapshotRows } from './snapshot.ts'

let dataDir: string
const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'devnet-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function send(chain: Chain, amount = 1n): string {
  const value = { owner_address: a.address, to_address: b.address, amount }
  return sendAs(chain, a.privateKey, { type: 'TransferContract', value })
}

/** The state at head and at solid, and every block id. */
function fingerprint(chain: Chain) {
  const rows = (number: number) => [...snapshotRows(chain.viewAt(number).tables)].sort()
  const ids = Array.from({ length: chain.head.number + 1 }, (_, n) => chain.block(n)!.id)
  const hash = createHash('sha256').update(ids.join('\n')).digest('hex')
  const [head, solid] = [rows(chain.head.number), rows(chain.solidNumber)]
  return { number: chain.head.number, ids: hash, head, solid }
}

function reopened(options: Parameters<typeof createChain>[0] = {}) {
  const chain = createChain({ dataDir, ...options })
  const seen = fingerprint(chain)
  chain.close()
  return seen
}

test('blocks, receipts and both states survive a restart, with and without a snapshot', () => {
  const chain = createChain({ dataDir })
  const first = send(chain)
  for (let i = 0; i < 210; i++) {
    if (i % 20 === 0) send(chain, BigInt(i + 1))
    chain.mine()
  }
  const before = fingerprint(chain)
  const info = chain.transaction(first)!.info
  chain.close()
  expect(statSync(join(dataDir, 'state.jsonl')).size).toBeGreaterThan(0)
  expect(reopened()).toEqual(before)
  const again = createChain({ dataDir })
  expect(again.transaction(first)!.info).toEqual(JSON.parse(JSON.stringify(info)))
  expect(() => again.broadcast(sendAgain(again, first))).toThrow('Dup transaction.')
  again.close()
  rmSync(join(dataDir, 'state.jsonl'))
  expect(reopened()).toEqual(before)
})

function sendAgain(chain: Chain, txid: string) {
  const { bytes } = chain.transaction(txid)!
  const { rawBytes, raw, signatures } = decodeTransaction(bytes)
  return { txid, rawBytes, raw, signatures }
}

test('a reorganisation survives a restart, and more can be taken back after it', () => {
  const chain = createChain({ dataDir })
  for (let i = 0; i < 8; i++) chain.mine()
  const dropped = send(chain, 7n)
  chain.mine()
  chain.reorg(3, new Set([dropped]))
  const before = fingerprint(chain)
  chain.close()
  const again = createChain({ dataDir })
  expect(fingerprint(again)).toEqual(before)
  expect(again.transaction(dropped)).toBeUndefined()
  again.reorg(6)
  again.close()
})

test('the chain’s clock stays moved, and never behind the head block', () => {
  const chain = createChain({ dataDir })
  chain.clock.advance(50_000_000)
  const { timestamp } = chain.mine()
  chain.close()
  const again = createChain({ dataDir })
  expect(again.clock.now()).toBeGreaterThanOrEqual(timestamp)
  again.close()
  rmSync(join(dataDir, 'clock.json'))
  const lost = createChain({ dataDir })
  expect(lost.mine().timestamp).toBeGreaterThan(timestamp)
  lost.close()
})

test('a torn last block is cut off and everything before it is there', () => {
  const chain = createChain({ dataDir })
  for (let i = 0; i < 10; i++) {
    send(chain)
    chain.mine()
  }
  const before = fingerprint(chain)
  const { head } = chain
  chain.close()
  const log = join(dataDir, 'blocks.log')
  const whole = statSync(log).size
  for (const junk of ['x', 'some bytes of a frame that never ended', '\xff\xff\xff\x7f12345678']) {
    appendFileSync(log, Buffer.from(junk, 'latin1'))
    expect(reopened()).toEqual(before)
    expect(statSync(log).size).toBe(whole)
  }
  truncateSync(log, whole - 3)
  const shorter = createChain({ dataDir })
  expect(shorter.head.number).toBe(head.number - 1)
  shorter.close()
})

test('another genesis on top of old blocks is refused; a reset begins anew', () => {
  createChain({ dataDir }).close()
  const genesis = { accounts: [{ address: toBase58(`41${'55'.repeat(20)}`), balance_sun: 5 }] }
  expect(() => createChain({ dataDir, genesis })).toThrow('--reset')
  resetChain(dataDir)
  const chain = createChain({ dataDir, genesis })
  expect(chain.head.number).toBe(1)
  const { tables } = chain.viewAt(1)
  expect(tables.accounts.get(`41${'55'.repeat(20)}`)!.balance).toBe(5n)
  expect(tables.accounts.get(a.address)!.balance).toBe(1_000_000_000_000n)
  chain.close()
})

test('a contract that is added to one chain is on no other', () => {
  const first = createChain()
  const contract = `41${'c0de'.repeat(10)}`
  ;(first.network.contracts as Map<string, object>).set(contract, {})
  const second = createChain()
  expect(second.network.contracts.has(contract)).toBe(false)
  expect(second.viewAt(1).tables.accounts.get(contract)).toBeUndefined()
})

test('kill -9 at any moment leaves a chain that links, replays and keeps all it announced', async () => {
  let announced = { number: 0, id: '' }
  for (const rounds of [3, 20, 40]) {
    const { child, url } = await start()
    const post = async (path: string, body: unknown) =>
      (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).json()
    const killed = once(child, 'exit')
    for (let round = 0; round < rounds; round++) {
      await post('/control/transfer', {
        from: toBase58(a.address),
        to: toBase58(b.address),
        amount_sun: 1,
      })
      announced = ((await post('/control/mine', { blocks: 7 })) as { head: typeof announced }).head
    }
    // During the next thousand blocks.
    const unfinished = post('/control/mine', { blocks: 1_000 }).catch(() => {})
    child.kill('SIGKILL')
    await Promise.all([killed, unfinished])

    const chain = createChain({ dataDir })
    expect(chain.block(announced.number)!.id).toBe(announced.id)
    for (let n = 1; n <= chain.head.number; n++) {
      expect(chain.block(n)!.header.parentHash).toBe(chain.block(n - 1)!.id)
    }
    const survived = fingerprint(chain)
    chain.close()
    // The snapshot plus the blocks after it give the same state as all blocks from the beginning.
    const copy = mkdtempSync(join(tmpdir(), 'devnet-'))
    cpSync(dataDir, copy, { recursive: true })
    rmSync(join(copy, 'state.jsonl'), { force: true })
    const replayed = reopened({ dataDir: copy })
    expect(replayed.head.filter((row) => !survived.head.includes(row))).toEqual([])
    expect(replayed).toEqual(survived)
    rmSync(copy, { recursive: true })
  }
})

async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL('./main.ts', import.meta.url), {
    env: { ...process.env, DEVNET_PORT: '0', DATA_DIR: dataDir, BLOCK_MS: '2' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { child, url }
}
