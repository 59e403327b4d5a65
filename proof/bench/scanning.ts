import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNodeClient, type NodeClient, type Post, toHex } from '@ergon/tron'
import pg from 'pg'
import { createAddresses } from '../../service/addresses/index.ts'
import {
  createAddressMap,
  createScan,
  factsOf,
  fetchAfter,
  watchAddresses,
} from '../../service/chain/index.ts'
import { type Db, ensureDatabase, migrate, openDb, startPostgres } from '../../service/db/index.ts'
import { createDeposits } from '../../service/deposits/index.ts'
import { createEvents } from '../../service/events/index.ts'
import { createAccounts } from '../../service/identity/index.ts'
import { silentLog, sun, systemDoors } from '../../service/kernel/index.ts'
import { createLedger } from '../../service/ledger/index.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import { createSigning } from '../../service/signing/index.ts'
import { addressOf, idOf, memoryChain, timeOf } from './scanningChain.ts'
import { seedWatched, WATCHED } from './seedWatched.ts'

// npm run bench -- scanning
// The scanner against 1,000,000 watched addresses: matching, a whole block, catching up.

const ROUNDS = 300
const CATCH_UP_BLOCKS = 1_000
const CATCH_UP_TRANSACTIONS = 300
const PAYEES = 3

type Line = { figure: string; measured: string; must: string; reached: boolean }
const lines: Line[] = []
const note = (figure: string, measured: string, must: string, reached: boolean) =>
  lines.push({ figure, measured, must, reached })

/** Milliseconds of processor time of this process: what is left of a figure on a busy machine. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function quantile(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!
}

function usedMb(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}

async function measureBlock() {
  const before = usedMb()
  const watched = createAddressMap()
  for (let i = 0; i < WATCHED; i++) watched.set(addressOf(`watched ${i}`), 'deposit')
  const mapMb = usedMb() - before
  const payees = Array.from({ length: PAYEES }, (_, i) => addressOf(`watched ${i}`))
  const chain = memoryChain({ head: 1_000, transactions: 600, payees })
  const node = inMemory(chain.post)
  const [block] = await fetchAfter(node, chain.head - 1)
  const matching: number[] = []
  const whole: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    const facts = factsOf(block!, watched)
    matching.push(performance.now() - start)
    if (facts.transfers.length !== PAYEES) throw new Error('a payment was overlooked')
  }
  const used = processorMs()
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    const [fetched] = await fetchAfter(node, chain.head - 1)
    factsOf(fetched!, watched)
    whole.push(performance.now() - start)
  }
  const eachMs = (processorMs() - used) / ROUNDS
  const [p50, p95] = [quantile(matching, 0.5), quantile(matching, 0.95)]
  const figure = `match 600 transactions, ${WATCHED} watched`
  note(figure, `p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`, '2 ms', p95 <= 2)
  note('map of watched addresses', `${mapMb.toFixed(0)} MB`, '100 MB', mapMb <= 100)
  const [middle, late] = [quantile(whole, 0.5), quantile(whole, 0.95)]
  const measured = `p50 ${middle.toFixed(1)} ms, p95 ${late.toFixed(1)} ms, processor ${eachMs.toFixed(1)} ms`
  note('whole block with receipts, from memory', measured, 'p95 15 ms', late <= 15)
}

function inMemory(post: Post): NodeClient {
  return createNodeClient({
    urls: ['http://memory'],
    timeoutMs: 60_000,
    post,
    now: () => timeOf(CATCH_UP_BLOCKS + 10),
  })
}

/** The scanner with the deposits room behind it, on a database that syncs. */
async function measureCatchUp() {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const postgres = await startPostgres({ folder })
  try {
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    await seedWatched(postgres.url('ergon_admin'))
    await startAtFirstBlock(postgres.url('ergon_admin'))
    const doors = systemDoors()
    const urls = [postgres.url('ergon_app')]
    const db = await openDb({ urls, connections: 5, doors, log: silentLog, name: 'bench' })
    try {
      await catchUp(db)
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

async function catchUp(db: Db) {
  const doors = systemDoors()
  const log = silentLog
  const signing = createSigning({ db, doors, wake() {} })
  const ledger = createLedger({ db, doors })
  await createEvents({ db, doors, log }).prepare()
  const extendedPublicKey = SANDBOX_DEPOSIT_XPUB
  const watch = watchAddresses
  const addresses = createAddresses({ db, doors, signing, extendedPublicKey, watch })
  const accounts = createAccounts({ db, doors, onAccount: [addresses.allotDeposit, ledger.open] })
  const payees: string[] = []
  for (let i = 0; i < PAYEES; i++) {
    const { account } = await accounts.create(`payee ${i}`)
    payees.push(toHex(await addresses.depositAddressOf(account)))
  }
  const deposits = createDeposits({
    db,
    doors,
    log,
    addresses,
    ledger,
    signing,
    unverifiedLimit: sun(10n ** 15n),
    sweepMin: undefined,
    onCredit: [],
    floats: async () => 0n,
    chain: () => {
      throw new Error('the loops are not run here')
    },
  })
  const head = CATCH_UP_BLOCKS + 2
  const chain = memoryChain({ head, transactions: CATCH_UP_TRANSACTIONS, payees })
  const { onBlock, onOrphan } = deposits
  const parts = { db, log, onBlock: [onBlock], onOrphan: [onOrphan], onCommit() {} }
  const first = memoryChain({ head: 2, transactions: CATCH_UP_TRANSACTIONS, payees })
  const scanOf = { post: first.post }
  const node = inMemory((url, request) => scanOf.post(url, request))
  const scan = createScan({ ...parts, node })
  const loading = performance.now()
  await scan.follow()
  const loadS = (performance.now() - loading) / 1_000
  scanOf.post = chain.post
  const start = performance.now()
  const used = processorMs()
  let blocks = 0
  for (let written = 1; written > 0; blocks += written) written = await scan.follow()
  const perSecond = blocks / ((performance.now() - start) / 1_000)
  const eachMs = (processorMs() - used) / blocks
  if (blocks !== CATCH_UP_BLOCKS) throw new Error(`${blocks} blocks instead of ${CATCH_UP_BLOCKS}`)
  note('first load of the watched addresses', `${loadS.toFixed(1)} s`, '–', true)
  const figure = `catch-up of ${CATCH_UP_BLOCKS} blocks × ${CATCH_UP_TRANSACTIONS}`
  const measured = `${perSecond.toFixed(0)} blocks/s, processor ${eachMs.toFixed(1)} ms a block`
  note(figure, measured, '50 blocks/s', perSecond >= 50)
}

await measureBlock()
await measureCatchUp()
for (const { figure, measured, must, reached } of lines) {
  console.log(`${reached ? 'ok   ' : 'SHORT'}  ${figure}: ${measured} (must ${must})`)
}
process.exitCode = lines.every(({ reached }) => reached) ? 0 : 1
