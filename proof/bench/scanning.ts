import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createNodeClient, type NodeClient, type Post, toHex } from '@ergon/tron'
import pg from 'pg'
import { createAddresses } from '../../service/addresses/index.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import {
  createAddressMap,
  createScan,
  factsOf,
  fetchAfter,
  watchAddresses,
} from '../../service/chain/index.ts'
import { type Db, ensureDatabase, migrate, openDb, startPostgres } from '../../service/db/index.ts'
import { CREDIT_LIMITS, createDeposits } from '../../service/deposits/index.ts'
import { createEvents } from '../../service/events/index.ts'
import { createAccounts } from '../../service/identity/index.ts'
import { silentLog, sun, systemRuntime } from '../../service/kernel/index.ts'
import { createLedger } from '../../service/ledger/index.ts'
import { createSigning } from '../../service/signing/index.ts'
import { type Handed, quantile, type Suite, spread } from './row.ts'
import { addressOf, idOf, memoryChain, timeOf } from './scanningChain.ts'
import { seedWatched, WATCHED } from './seedWatched.ts'

// npm run bench -- scanning
// The scanner against 1,000,000 watched addresses: matching, a whole block, catching up.

const ROUNDS = 5
const BLOCKS_A_ROUND = 100
const CATCH_UP_BLOCKS = 1_000
const CATCH_UP_TRANSACTIONS = 300
const PAYEES = 3

export const measureScanning: Suite = async ({ rounds = ROUNDS }) => {
  const block = await measureBlock(rounds)
  const catchingUp = await measureCatchUp()
  return {
    rows: [...block.rows, ...catchingUp.rows],
    remarks: [...block.remarks, ...catchingUp.remarks],
  }
}

/**
 * Processor time of this process in milliseconds, which other load of the machine changes little.
 */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** V8 offers a full collection only under a flag. */
function collectGarbage() {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function usedMb(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}

async function measureBlock(rounds: number): Promise<Handed> {
  const before = usedMb()
  const watched = createAddressMap()
  for (let i = 0; i < WATCHED; i++) watched.set(addressOf(`watched ${i}`), 'deposit')
  const mapMb = usedMb() - before
  const payees = Array.from({ length: PAYEES }, (_, i) => addressOf(`watched ${i}`))
  const chain = memoryChain({ head: 1_000, transactions: 600, payees })
  const node = inMemory(chain.post)
  const [block] = await fetchAfter(node, chain.head - 1)
  const match = () => {
    const facts = factsOf(block!, watched)
    if (facts.transfers.length !== PAYEES) throw new Error('a payment was overlooked')
  }
  const readWhole = async () => {
    const [fetched] = await fetchAfter(node, chain.head - 1)
    factsOf(fetched!, watched)
  }
  const matching: number[][] = []
  const whole: number[][] = []
  let wholeMs = 0
  for (let round = 0; round < rounds; round++) {
    matching.push(await timesOf(match))
    const used = processorMs()
    whole.push(await timesOf(readWhole))
    wholeMs += processorMs() - used
  }
  const p95 = (times: number[][]) => spread(times.map((round) => quantile(round, 0.95)))
  const p50 = (times: number[][]) => quantile(times.flat(), 0.5).toFixed(2)
  const millions = WATCHED.toLocaleString('en-US')
  const figure = `matching 600 transactions, ${millions} watched addresses`
  return {
    rows: [
      { figure: `${figure}: p95`, unit: 'ms', ...p95(matching), must: 2, aim: 0.5, atMost: true },
      { figure: `map of ${millions} addresses`, unit: 'MB', value: mapMb, must: 100, atMost: true },
      {
        figure: 'a whole block of 600 with receipts, from memory: p95',
        unit: 'ms',
        ...p95(whole),
        must: 15,
        aim: 6,
        atMost: true,
      },
    ],
    remarks: [
      `Matching takes ${p50(matching)} ms at p50, a whole block ${p50(whole)} ms and ${(wholeMs / rounds / BLOCKS_A_ROUND).toFixed(1)} ms of processor.`,
    ],
  }
}

async function timesOf(work: () => void | Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < BLOCKS_A_ROUND; n++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times
}

function inMemory(post: Post): NodeClient {
  return createNodeClient({
    urls: ['http://memory'],
    timeoutMs: 60_000,
    post,
    now: () => timeOf(CATCH_UP_BLOCKS + 10),
  })
}

/** The scanner with the room `deposits`, on a database with fsync. */
async function measureCatchUp(): Promise<Handed> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const postgres = await startPostgres({ folder })
  try {
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    await seedWatched(postgres.url('ergon_admin'))
    await startAtFirstBlock(postgres.url('ergon_admin'))
    const runtime = systemRuntime()
    const urls = [postgres.url('ergon_app')]
    const db = await openDb({ urls, connections: 5, runtime, log: silentLog, name: 'bench' })
    try {
      return await catchUp(db)
    } finally {
      await db.close()
    }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startAtFirstBlock(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values (1, $1, $2, 1, $1, $2)`,
    [idOf(1), new Date(timeOf(1))],
  )
  await client.end()
}

async function catchUp(db: Db): Promise<Handed> {
  const runtime = systemRuntime()
  const log = silentLog
  const signing = createSigning({ db, runtime, wake() {} })
  const ledger = createLedger({ db, runtime })
  await createEvents({ db, runtime, log }).prepare()
  const extendedPublicKey = SANDBOX_DEPOSIT_XPUB
  const watch = watchAddresses
  const addresses = createAddresses({
    db,
    runtime,
    signing,
    extendedPublicKey,
    watch,
    mayAllot: () => true,
  })
  const accounts = createAccounts({ db, runtime, onAccount: [addresses.allotDeposit, ledger.open] })
  const payees: string[] = []
  for (let i = 0; i < PAYEES; i++) {
    const { account } = await accounts.create(`payee ${i}`)
    payees.push(toHex(await addresses.depositAddressOf(account)))
  }
  const deposits = createDeposits({
    db,
    runtime,
    log,
    addresses,
    ledger,
    signing,
    limits: { ...CREDIT_LIMITS, account: sun(10n ** 15n), service: sun(10n ** 16n) },
    sweepMin: undefined,
    treasuryTransfers: async () => [],
    recoverTransfers: {
      destinations: async () => new Set(),
      recover: async () => ({ booked: new Map(), undecided: new Map() }),
    },
    onDeposits: [],
    floats: async () => 0n,
    knownTo: [],
    recoverMoves: async () => new Map(),
    recoverStakes: { isOurs: () => false, book: async () => new Map() },
    chain: () => {
      throw new Error('the loops are not run here')
    },
  })
  const head = CATCH_UP_BLOCKS + 2
  const chain = memoryChain({ head, transactions: CATCH_UP_TRANSACTIONS, payees })
  const { onBlock, onOrphan } = deposits
  const news = { onBlock: [onBlock], onOrphan: [onOrphan], onCommit() {} }
  const treasury = () => signing.addresses('hot')
  const parts = { db, clock: runtime.clock, log, treasury, ...news }
  const first = memoryChain({ head: 2, transactions: CATCH_UP_TRANSACTIONS, payees })
  const scanOf = { post: first.post }
  const node = inMemory((url, request) => scanOf.post(url, request))
  const scan = createScan({ ...parts, node })
  const loading = performance.now()
  await scan.follow()
  const loadS = (performance.now() - loading) / 1_000
  scanOf.post = chain.post
  const used = processorMs()
  const { blocks, rates, perSecond } = await followToTheHead(scan.follow)
  const eachMs = (processorMs() - used) / blocks
  if (blocks !== CATCH_UP_BLOCKS) throw new Error(`${blocks} blocks instead of ${CATCH_UP_BLOCKS}`)
  const figure = `catch-up of ${CATCH_UP_BLOCKS} blocks × ${CATCH_UP_TRANSACTIONS} transactions`
  return {
    rows: [{ figure, unit: '/s', ...spread(rates), value: perSecond, must: 50, aim: 150 }],
    remarks: [
      `Loading the watched addresses took ${loadS.toFixed(1)} s, catching up ${eachMs.toFixed(1)} ms of processor a block; its range is that of the fifths of the way.`,
    ],
  }
}

/** Blocks a second, of the whole way and of each fifth of it. */
async function followToTheHead(follow: () => Promise<number>) {
  const start = performance.now()
  const rates: number[] = []
  let blocks = 0
  let fifth = { blocks: 0, began: start }
  for (let written = 1; written > 0; ) {
    written = await follow()
    blocks += written
    const now = performance.now()
    if (blocks - fifth.blocks < CATCH_UP_BLOCKS / 5) continue
    rates.push(((blocks - fifth.blocks) * 1_000) / (now - fifth.began))
    fifth = { blocks, began: now }
  }
  return { blocks, rates, perSecond: (blocks * 1_000) / (performance.now() - start) }
}
