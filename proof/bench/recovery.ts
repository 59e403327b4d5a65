import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeClient, toHex } from '@ergon/tron'
import { createRooms, type Rooms } from '../../service/app/rooms.ts'
import {
  SANDBOX_DEPOSIT_XPUB,
  SANDBOX_HOT_ADDRESS,
  SANDBOX_STAKE_ADDRESS,
} from '../../service/app/sandboxNetwork.ts'
import type { BlockFacts, Departure } from '../../service/chain/index.ts'
import { type Db, ensureDatabase, migrate, openDb, startPostgres } from '../../service/db/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import type { Suite } from './row.ts'
import { addressOf } from './scanningChain.ts'

// npm run bench -- recovery
// A day that the books have lost: 50,000 transactions of our keys in 28,800 blocks, found and booked.

const BLOCKS = 28_800
const TRANSACTIONS = 50_000
const ACCOUNTS = 200
const FEE = 1_100n
const SECONDS_MUST = 300

export const measureRecovery: Suite = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-recovery-'))
  const postgres = await startPostgres({ folder })
  await ensureDatabase(postgres)
  await migrate(postgres.url('ergon_admin'))
  const runtime = systemRuntime()
  const open = { connections: 8, runtime, log: silentLog, name: 'bench' }
  const db = await openDb({ ...open, urls: [postgres.url('ergon_app')] })
  const admin = await openDb({ ...open, urls: [postgres.url('ergon_admin')] })
  try {
    const day = new Map<number, Departure[]>()
    const rooms = createRooms({
      db,
      runtime,
      log: silentLog,
      nodeUrls: [],
      nodeApiKey: '',
      // Accounts are opened at once: nobody reads blocks before.
      blockMs: 0,
      node: nodeOf(day),
      scanMs: 1_000,
      depositXpub: SANDBOX_DEPOSIT_XPUB,
      webhooks: { secretsKey: new Uint8Array(32) },
      wakeSigner() {},
    })
    await publish(admin)
    await fill(day, rooms)
    const foundMs = await timeOf(() => find(db, rooms, day))
    await standAt(admin, BLOCKS)
    const bookedMs = await timeOf(() => book(rooms))
    const seconds = (foundMs + bookedMs) / 1_000
    const figure = `a day of ${TRANSACTIONS.toLocaleString('en-US')} lost transactions found and booked`
    return {
      rows: [{ figure, unit: 's', value: seconds, must: SECONDS_MUST, atMost: true }],
      remarks: [
        `Found in ${Math.round(foundMs / 1_000)} s, block by block, without the node's time; booked in ${Math.round(bookedMs / 1_000)} s.`,
      ],
    }
  } finally {
    await db.close()
    await admin.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Receipts are all that recovery asks a node for. */
function nodeOf(day: ReadonlyMap<number, Departure[]>): NodeClient {
  const infos = async (number: number) =>
    (day.get(number) ?? []).map(({ txid }) => ({ id: txid, fee: FEE }))
  // Behind the books, so no balance that it answers is written.
  const getSolidBlock = async () => ({ number: 0 })
  const getSolidAccount = async () => undefined
  const answers = { getTransactionInfosByBlockNum: infos, getSolidBlock, getSolidAccount }
  return answers as unknown as NodeClient
}

async function publish(admin: Db) {
  const insert = (address: string, purpose: string) =>
    admin.query({
      name: `bench.${purpose}`,
      text: `insert into signing.address (address, purpose, position) values ('${address}', '${purpose}', 0)`,
    })
  await insert(toHex(SANDBOX_HOT_ADDRESS), 'hot')
  await insert(toHex(SANDBOX_STAKE_ADDRESS), 'stake')
}

/** Nine of ten are delegations and their reclaims, the others sweeps. */
async function fill(day: Map<number, Departure[]>, rooms: Rooms) {
  const deposits: string[] = []
  for (let number = 0; number < ACCOUNTS; number++) {
    const { account } = await rooms.accounts.create(`client ${number}`)
    deposits.push(toHex(await rooms.addresses.depositAddressOf(account)))
  }
  const stake = toHex(SANDBOX_STAKE_ADDRESS)
  for (let number = 0; number < TRANSACTIONS; number++) {
    const block = Math.floor((number * BLOCKS) / TRANSACTIONS) + 1
    const txid = number.toString(16).padStart(64, '0')
    const of = { txid, permission: null }
    const pair = Math.floor(number / 2)
    const isSweep = number % 10 === 9
    const sweep = {
      owner: deposits[number % ACCOUNTS]!,
      to: toHex(SANDBOX_HOT_ADDRESS),
      amount: 20_000_000n,
      contract: 'TransferContract',
    }
    const move = {
      owner: stake,
      to: addressOf(`receiver ${pair}`),
      amount: 5_000_000_000n,
      contract: number % 2 === 0 ? 'DelegateResourceContract' : 'UnDelegateResourceContract',
    }
    const sent = { ...of, ...(isSweep ? sweep : move) }
    day.set(block, [...(day.get(block) ?? []), sent])
  }
}

async function find(db: Db, { deposits }: Rooms, day: ReadonlyMap<number, Departure[]>) {
  const began = Date.now() - BLOCKS * 3_000
  for (let number = 1; number <= BLOCKS; number++) {
    const facts: BlockFacts = {
      number,
      id: String(number),
      time: new Date(began + number * 3_000),
      transfers: [],
      tokens: [],
      delegations: [],
      calls: [],
      departures: day.get(number) ?? [],
    }
    await db.transaction((tx) => deposits.onBlock(tx, facts))
  }
}

/** The scanner has caught up. */
async function standAt(admin: Db, number: number) {
  await admin.query({
    name: 'bench.cursor',
    text: `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
           values (${number}, '', clock_timestamp(), ${number}, '', clock_timestamp())`,
  })
  await admin.query({
    name: 'bench.head',
    text: `insert into chain.head (number, block_time, first_seen_at, seen_at)
           values (${number}, clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '10 minutes')`,
  })
}

async function book({ deposits }: Rooms) {
  const result = await deposits.recovering().recover()
  if ('refused' in result) throw new Error(result.refused)
  const booked = [...result.booked.values()].reduce((sum, count) => sum + count, 0)
  if (booked !== TRANSACTIONS || result.open.length > 0 || result.waiting > 0) {
    throw new Error(`${booked} booked, ${result.open.length} open, ${result.waiting} waiting`)
  }
}
