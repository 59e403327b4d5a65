import { beforeEach, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain } from './createChain.ts'
import { fundedKeys } from './networkKeys.ts'
import { sendAs } from './sender.ts'
import { snapshotRows } from './snapshot.ts'

let chain: Chain
const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]

beforeEach(() => {
  chain = createChain({ solidLag: 6, now: () => 1_700_000_000_000 })
  for (let i = 0; i < 8; i++) chain.mine()
})

function send(amount: bigint): string {
  const value = { owner_address: a.address, to_address: b.address, amount }
  return sendAs(chain, a.privateKey, { type: 'TransferContract', value })
}

function balance(number = chain.head.number): bigint {
  return chain.viewAt(number).tables.accounts.get(b.address)!.balance - 1_000_000_000_000n
}

/** The whole state as text, to compare two moments. */
function dump(number: number): string[] {
  return [...snapshotRows(chain.viewAt(number).tables)].sort()
}

test('the new branch is one block longer, with other ids from the fork on', () => {
  send(5n)
  chain.mine()
  const old = [0, 1, 2, 3].map((back) => chain.block(chain.head.number - back)!)
  const head = chain.reorg(3)
  expect(head.number).toBe(old[0]!.number + 1)
  expect(chain.block(old[3]!.number)!.id).toBe(old[3]!.id)
  for (const block of old.slice(0, 3)) {
    expect(chain.block(block.number)!.id).not.toBe(block.id)
    expect(chain.blockById(block.id)).toBeUndefined()
  }
  for (let n = old[3]!.number + 1; n <= head.number; n++) {
    expect(chain.block(n)!.header.parentHash).toBe(chain.block(n - 1)!.id)
    expect(chain.block(n)!.timestamp).toBeGreaterThan(chain.block(n - 1)!.timestamp)
  }
})

test('dropped transactions vanish with their effects, the others are on the new branch', () => {
  const kept = send(5n)
  chain.mine()
  const dropped = send(70n)
  chain.mine()
  const pooled = send(900n)
  expect(balance()).toBe(75n)
  chain.reorg(2, new Set([dropped]))
  expect(balance()).toBe(905n)
  expect(chain.transaction(dropped)).toBeUndefined()
  expect(chain.transaction(kept)!.info.blockNumber).toBe(chain.head.number - 2)
  expect(chain.transaction(pooled)).toBeDefined()
  expect(chain.pool.size).toBe(0)
  // It was lost, not refused. The same bytes are invalid if they refer to an orphaned block, but a
  // new transaction can be sent.
  send(70n)
  chain.mine()
  expect(balance()).toBe(975n)
})

test('a transaction on the new branch has the receipt it had, but for its block', () => {
  const txid = send(5n)
  chain.mine()
  const { blockNumber, blockTimeStamp, ...before } = chain.transaction(txid)!.info
  chain.mine()
  chain.reorg(2)
  expect(chain.transaction(txid)!.info).toMatchObject(before)
})

test('any depth above the solid block, and none that reaches it', () => {
  const depthMax = chain.head.number - chain.solidNumber
  expect(depthMax).toBe(6)
  expect(() => chain.reorg(depthMax + 1)).toThrow(
    `depth must be 1 to 6: block ${chain.solidNumber} is solid and the head is ${chain.head.number}`,
  )
  for (const depth of [0, -1, 1.5, Number.NaN]) expect(() => chain.reorg(depth)).toThrow('depth')
  const { solidNumber } = chain
  const solidId = chain.block(solidNumber)!.id
  chain.reorg(depthMax)
  expect(chain.block(solidNumber)!.id).toBe(solidId)
})

test('a reorganisation that drops everything leaves exactly the state of the fork block', () => {
  const fork = chain.head.number
  const before = dump(fork)
  const txids = [send(1n), send(2n)]
  chain.mine()
  txids.push(send(3n))
  chain.mine()
  expect(withoutRewards(dump(chain.head.number))).not.toEqual(withoutRewards(before))
  // The state at the fork can be read meanwhile, and is the same.
  expect(dump(fork)).toEqual(before)
  chain.reorg(2, new Set(txids))
  expect(withoutRewards(dump(chain.head.number))).toEqual(withoutRewards(before))
})

/** Every block pays its witness, also an empty one. */
function withoutRewards(rows: string[]): string[] {
  return rows.filter((row) => !row.includes(chain.network.witness.address))
}

test('the state at every block above the solid one stays what it was then', () => {
  const history = new Map<number, bigint>()
  for (let i = 1n; i <= 6n; i++) {
    send(10n ** i)
    history.set(chain.mine().number, balance())
  }
  send(5n)
  for (const [number, then] of history) expect(balance(number)).toBe(then)
  expect(() => chain.viewAt(chain.solidNumber - 1)).toThrow('no state at')
})

test('a transaction that the other branch cannot pay for vanishes', () => {
  const rich = send(999_000_000_000n)
  chain.mine()
  const value = { owner_address: b.address, to_address: a.address, amount: 1_500_000_000_000n }
  const spending = sendAs(chain, b.privateKey, { type: 'TransferContract', value })
  chain.mine()
  chain.reorg(2, new Set([rich]))
  expect(chain.transaction(spending)).toBeUndefined()
  expect(balance()).toBe(0n)
})
