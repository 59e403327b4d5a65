import { buildTransaction, createNodeClient, type NodeClient, sign, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, sun, systemClock, systemRuntime } from '../kernel/index.ts'
import { createDevnetControl } from '../sandbox-api/index.ts'
import { TREASURY } from '../signing/index.ts'
import type { BlockFacts, Transfer } from './block.ts'
import { advanceCursorWith, moveCursor } from './scan.sql.ts'
import { createScan, type Scan } from './scan.ts'
import { readCursor } from './store.ts'
import { watchAddresses, watchCallers } from './watch.ts'

// An address is watched before anybody can pay to it, and a payment to it is never missed.

let database: TestDatabase
let devnet: Awaited<ReturnType<typeof openDevnet>>
let db: Db
let node: NodeClient
/** Statements and commits of `db`, in order. */
let steps: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  devnet = await openDevnet()
  const urls = [database.url('ergon_app')]
  const step = async (label: string) => void steps.push(label)
  const runtime = { ...systemRuntime(), step }
  db = await openDb({ urls, connections: 5, runtime, log: silentLog, name: 'test' })
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
  /** Of every block that has facts. */
  facts: BlockFacts[]
} {
  const seen: Transfer[] = []
  const facts: BlockFacts[] = []
  const getNowBlock = async () => {
    const head = await node.getNowBlock()
    await afterFetch()
    return head
  }
  const onBlock = async (_tx: unknown, block: BlockFacts) => {
    facts.push(block)
    seen.push(...block.transfers)
  }
  const news = {
    onBlock: [onBlock],
    onOrphan: [],
    onCommit() {},
    treasury: TREASURY,
  }
  const deps = { db, clock: systemClock(), log: silentLog, ...news }
  return { scan: createScan({ ...deps, node: { ...node, getNowBlock } }), seen, facts }
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
  const news = { onBlock: [], onOrphan: [], onCommit() {}, treasury: TREASURY }
  const deps = { db, clock: systemClock(), log: silentLog, ...news }
  return createScan({ ...deps, node: { ...node, getNowBlock, ...over } })
}

const solid = async () => Number((await db.query(readCursor))[0]!.solidNumber)
const cursor = async () => Number((await db.query(readCursor))[0]!.number)

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

// A block without facts is written in one statement, which looks once more whether it is one.

const stranger = () => devnet.chain.network.funded[0]!.address
/** A stranger's call of a contract, in a block. */
function call() {
  const { chain } = devnet
  const [{ address: owner_address, privateKey }] = chain.network.funded as [
    { address: string; privateKey: string },
  ]
  const data = `a9059cbb${address('8').slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  const value = { owner_address, contract_address: chain.network.usdt, data }
  const made = {
    headBlock: chain.head,
    timestamp: chain.head.timestamp + 1,
    feeLimit: 100_000_000n,
  }
  const built = buildTransaction({ type: 'TriggerSmartContract', value }, made)
  const { txId: txid, raw, rawBytes } = built
  chain.broadcast({ txid, raw, rawBytes, signatures: [sign(txid, privateKey)] })
  chain.mine()
}

const txidOf = (number: number) => devnet.chain.block(number)!.txids[0]!

test('a block without anything of ours takes two statements and one commit', async () => {
  const { scan, facts } = scanner()
  devnet.chain.mine()
  await followToHead(scan)
  for (const mine of [() => pay(address('4')), () => devnet.chain.mine()]) {
    await mine()
    steps = []
    await scan.follow()
    expect(steps.filter((step) => !step.startsWith('committed'))).toEqual([
      'commit after chain.readCursor',
      'commit after chain.advanceCursor',
    ])
  }
  expect([facts, await cursor()]).toEqual([[], devnet.chain.head.number])
})

test('what was added since the last block is found in it: an address, a treasury, a caller', async () => {
  const { scan, facts } = scanner()
  await followToHead(scan)
  await db.transaction((tx) => watchAddresses(tx, [address('5')], 'deposit'))
  await pay(address('5'))
  await followToHead(scan)
  expect(facts.at(-1)).toMatchObject({ transfers: [{ to: address('5') }], departures: [] })
  await database.sql(
    `insert into signing.address (address, purpose, position) values ($1, 'hot', 0)`,
    [stranger()],
  )
  await pay(address('6'))
  await followToHead(scan)
  expect(facts.at(-1)).toMatchObject({ transfers: [], departures: [{ owner: stranger() }] })
  await database.sql('delete from signing.address')
  devnet.chain.mine()
  await followToHead(scan)
  await db.transaction((tx) => watchCallers(tx, [stranger()]))
  call()
  await followToHead(scan)
  expect(facts.at(-1)).toMatchObject({ departures: [], calls: [{ caller: stranger() }] })
  expect(facts).toHaveLength(3)
})

test('our bytes in a block without facts are included, and those that solid time has passed expire', async () => {
  const { scan, facts } = scanner()
  await followToHead(scan)
  await pay(address('7'))
  const included = txidOf(devnet.chain.head.number)
  for (const txid of [included, 'dead'])
    await database.sql(
      `insert into chain.broadcast (txid, signed_bytes, expires_at, state) values ($1, '', $2, 'pending')`,
      [txid, new Date(0)],
    )
  await followToHead(scan)
  const found = await database.sql(
    'select txid, state, block_number from chain.broadcast order by state',
  )
  expect(found).toEqual([
    { txid: 'dead', state: 'expired', block_number: null },
    { txid: included, state: 'included', block_number: String(devnet.chain.head.number) },
  ])
  expect(facts).toEqual([])
})

test('a block is not written when another scanner has moved the cursor meanwhile, even back to its parent', async () => {
  await followToHead(scanner().scan)
  const [at] = await db.query(readCursor)
  const { number, id, time } = at!
  const values = [number + 1n, 'next', time, id, null, null, null, null, null, null, [], null, null]
  const advance = () => db.query(advanceCursorWith(TREASURY), values)
  let late: ReturnType<typeof advance> | undefined
  await db.transaction(async (tx) => {
    await tx.query(moveCursor, [number, id, time])
    late = advance()
    await until('the other to wait', async () => {
      const waiting = await database.sql(
        `select from pg_stat_activity where wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
  })
  expect(await late).toEqual([])
  expect(await cursor()).toBe(Number(number))
  expect(await database.sql(`select from chain.block where id = 'next'`)).toEqual([])
  expect(await advance()).toHaveLength(1)
})
