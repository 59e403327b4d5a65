import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChainRoom, readUpTo } from '../../../proof/testing/chainRoom.ts'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { openDevnet } from '../../../proof/testing/world.ts'
import { type Db, openDb } from '../../db/index.ts'
import { createLog, silentLog, sun, systemRuntime } from '../../kernel/index.ts'
import { createLedger } from '../../ledger/index.ts'
import { createDevnetControl } from '../../sandbox-api/index.ts'
import { createFees } from './fees.ts'
import { noteFees } from './store.ts'

const runtime = systemRuntime()
let database: TestDatabase
let devnet: Awaited<ReturnType<typeof openDevnet>>
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  devnet = await openDevnet()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await devnet.close()
  await database.drop()
})

/** A transaction in its own block. */
async function mined(): Promise<{ txid: string; block: number }> {
  const [from, to] = devnet.chain.network.funded.map(({ address }) => toBase58(address))
  const txid = await createDevnetControl(devnet.url).transfer(from!, to!, sun(1n))
  return { txid, block: devnet.chain.mine().number }
}

test('each block has its own receipts, and only one that the node does not have is missed', async () => {
  const [first, second] = [await mined(), await mined()]
  await db.query(noteFees, [[first.txid], first.block])
  await db.query(noteFees, [[second.txid, 'unknown'], second.block])
  await readUpTo(database, second.block, runtime.clock.now())
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const chain = openChainRoom(db, devnet.url)
  const fees = createFees({ db, runtime, log, chain, ledger: createLedger({ db, runtime }) })
  expect(await fees.bookSolid()).toBe(2)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'receipts_missing', height: second.block, count: 1 },
  ])
  const left = await database.sql('select txid from delivery.network_fee where fee_sun is null')
  expect(left).toEqual([{ txid: 'unknown' }])
})
