import { createNodeClient, type NodeClient, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, sun, systemClock, systemRuntime } from '../kernel/index.ts'
import { createDevnetControl } from '../sandbox-api/index.ts'
import type { Transfer } from './block.ts'
import { createScan, type Scan } from './scan.ts'
import { readCursor } from './store.ts'
import { watchAddresses } from './watch.ts'

// An address is watched before anybody can pay to it, and a payment to it is never missed.

let database: TestDatabase
let devnet: Awaited<ReturnType<typeof openDevnet>>
let db: Db
let node: NodeClient
beforeAll(async () => {
  database = await createTestDatabase()
  devnet = await openDevnet()
  const urls = [database.url('ergon_app')]
  const options = { connections: 5, runtime: systemRuntime(), log: silentLog, name: 'test' }
  db = await openDb({ urls, ...options })
  node = createNodeClient({ urls: [devnet.url], timeoutMs: 5_000 })
})
afterAll(async () => {
  await db.close()
  await devnet.close()
  await database.drop()
})

const address = (digit: string) => `41${digit.repeat(40)}`

function scanner(afterFetch: () => Promise<void> = async () => {}): {
  scan: Scan
  seen: Transfer[]
} {
  const seen: Transfer[] = []
  const getNowBlock = async () => {
    const head = await node.getNowBlock()
    await afterFetch()
    return head
  }
  const onBlock = async (_tx: unknown, { transfers }: { transfers: Transfer[] }) =>
    void seen.push(...transfers)
  const news = {
    onBlock: [onBlock],
    onOrphan: [],
    onCommit() {},
    treasury: async () => [],
  }
  const deps = { db, clock: systemClock(), log: silentLog, ...news }
  return { scan: createScan({ ...deps, node: { ...node, getNowBlock } }), seen }
}

async function followToHead(scan: Scan) {
  while ((await scan.follow()) > 0);
}

async function pay(to: string) {
  const from = toBase58(devnet.chain.network.funded[0]!.address)
  await createDevnetControl(devnet.url).transfer(from, toBase58(to), sun(1_000_000n))
  devnet.chain.mine()
}

test('an address that is inserted between fetch and match is found', async () => {
  const late = address('1')
  await followToHead(scanner().scan)
  await pay(late)
  let inserted = false
  const { scan, seen } = scanner(async () => {
    if (inserted) return
    inserted = true
    await db.transaction((tx) => watchAddresses(tx, [late], 'deposit'))
  })
  await followToHead(scan)
  expect(seen.map(({ to }) => to)).toEqual([late])
})

test('an address whose transaction began earlier and commits later is found', async () => {
  const slow = address('2')
  const quick = address('3')
  const { scan, seen } = scanner()
  await followToHead(scan)
  let commit = () => {}
  const held = new Promise<void>((resolve) => {
    commit = resolve
  })
  let begun = () => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const slowly = db.transaction(async (tx) => {
    await watchAddresses(tx, [slow], 'deposit')
    begun()
    await held
  })
  await started
  await db.transaction((tx) => watchAddresses(tx, [quick], 'deposit'))
  await pay(quick)
  await followToHead(scan)
  expect(seen.map(({ to }) => to)).toEqual([quick])
  commit()
  await slowly
  await pay(slow)
  await followToHead(scan)
  expect(seen.map(({ to }) => to)).toEqual([quick, slow])
})

/** A scanner that has read up to this height of the node's chain. */
const readingUpTo = (height: number, over: Partial<NodeClient> = {}): Scan => {
  const getNowBlock = async () => (await node.getBlockByNum(height))!
  const news = { onBlock: [], onOrphan: [], onCommit() {}, treasury: async () => [] }
  const deps = { db, clock: systemClock(), log: silentLog, ...news }
  return createScan({ ...deps, node: { ...node, getNowBlock, ...over } })
}

const solid = async () => Number((await db.query(readCursor))[0]!.solidNumber)

test('solid is raised up to the cursor when the node is ahead of us, and never beyond', async () => {
  await followToHead(scanner().scan)
  const from = devnet.chain.head.number
  for (let block = 0; block < 40; block++) devnet.chain.mine()
  expect(devnet.chain.solidNumber).toBeGreaterThan(from + 10)
  await readingUpTo(from + 10).follow()
  expect(await solid()).toBe(from + 10)
  // If the node's solid block at our height is another one, ours is not solid.
  const other = { ...(await node.getBlockByNum(from + 12))!, id: '0'.repeat(64) }
  const getSolidBlockByNum = async () => other
  await readingUpTo(from + 12, { getSolidBlockByNum }).follow()
  expect(await solid()).toBe(from + 10)
  await followToHead(scanner().scan)
  expect(await solid()).toBe(devnet.chain.solidNumber)
})
