// Proves: treasury, signer, signing.
import { rmSync } from 'node:fs'
import type { Devnet } from '@ergon/devnet'
import { decodeTransaction, toBase58, toHex } from '@ergon/tron'
import { expect, test } from 'vitest'
import { readTrust, writeTrust } from '../../service/signer/index.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'
import { signerFolder } from '../testing/world.ts'
import { dieEverywhere, patient } from './manyDeaths.ts'
import type { World } from './mortalWorld.ts'

// Service and signer are killed at every commit of a surplus and of a top-up. Each is sent once, booked once, and arrives once.

const TRX = 1_000_000n
const PLACES =
  /treasury\.(insertTransfer|nextTurn|endTransfer|markArrived|setWaiting)|signing\.insertAnswers|chain\.insertBroadcast/
const SECONDS = 60
let standIn: StandIn
let folder: string
let cold: string

async function settingsFor(devnet: Devnet): Promise<Record<string, string>> {
  standIn = await openStandIn(devnet, 'catfee')
  standIn.market.drain(100n * TRX)
  folder = signerFolder(devnet)
  cold = toBase58(devnet.chain.network.funded[4]!.address)
  const caps = { hourlyTrx: 100_000, dailyTrx: 100_000, effectiveFrom: new Date(0).toISOString() }
  const places = [cold, toBase58(standIn.market.delegator)]
  const treasury = places.map((address) => ({ address, ...caps }))
  writeTrust(folder, { ...readTrust(folder), treasury })
  return {
    SIGNER_DIR: folder,
    MORTAL_CATFEE: standIn.url,
    MORTAL_CATFEE_KEY: standIn.key,
    MORTAL_CATFEE_SECRET: standIn.secret,
  }
}

type Row = { kind: string; state: string; txid: string }

async function live(world: World): Promise<void> {
  const { database, devnet } = world
  const { become, arm } = patient(world, SECONDS)
  const said = `'ann', now(), 'a test'`
  await become('the balance is known', async () => {
    const rows = await database.sql(`select from providers.provider where float_sun > 0`)
    if (rows.length === 0) devnet.chain.mine()
    return rows.length > 0
  })
  arm()
  await database.sql(
    `insert into treasury.hot_wallet (enabled, floor_sun, ceiling_sun, cold_address, changed_by, changed_at, reason)
     values (true, 1, $1, $2, ${said})`,
    [50_000n * TRX, cold],
  )
  await database.sql(
    `insert into treasury.float
       (provider, enabled, deposit_address, floor_sun, ceiling_sun, daily_cap_sun, changed_by, changed_at, reason)
     values ('catfee', true, $1, $2, $3, $4, ${said})`,
    [toBase58(standIn.market.delegator), 500n * TRX, 2_000n * TRX, 9_000n * TRX],
  )
  await become('both have ended', async () => {
    const rows = await database.sql<Row>(`select kind, state, txid from treasury.transfer`)
    const open = rows.find(({ state }) => state === 'requested')
    // Readings need blocks to stand still, transfers need them to come.
    if (open && (devnet.chain.pool.has(open.txid) || devnet.chain.transaction(open.txid))) {
      const fork = devnet.chain.pool.has(open.txid)
      devnet.chain.mine()
      if (fork) devnet.chain.reorg(1)
    }
    const isAt = (kind: string, state: string) =>
      rows.some((one) => one.kind === kind && one.state === state)
    return isAt('surplus', 'booked') && isAt('top_up', 'arrived')
  })
}

async function check({ database, devnet }: World): Promise<void> {
  expect(await brokenInvariants(database)).toEqual([])
  const sent = Array.from({ length: devnet.chain.head.number }, (_, n) => devnet.chain.block(n + 1))
    .flatMap((block) => block!.transactions)
    .map((bytes) => decodeTransaction(bytes).raw.contract)
    .flatMap(({ type, value }) => (type === 'TransferContract' ? [value.to_address] : []))
  expect(sent.filter((to) => to === toHex(cold))).toHaveLength(1)
  expect(sent.filter((to) => to === standIn.market.delegator)).toHaveLength(1)
  const booked = await database.sql(
    `select kind, count(*)::int as count from ledger.movement
      where kind in ('to_cold', 'top_up', 'top_up_arrived', 'top_up_lost') group by kind order by kind`,
  )
  expect(booked).toEqual([
    { kind: 'to_cold', count: 1 },
    { kind: 'top_up', count: 1 },
    { kind: 'top_up_arrived', count: 1 },
  ])
  await until('nothing left without a row', async () => {
    const found = await database.sql(`select from signing.outflow`)
    return found.length === 0
  })
  await standIn.close()
  rmSync(folder, { recursive: true, force: true })
}

test(
  'kill -9 at each commit of a surplus and a top-up: each is sent, booked and credited once',
  async () => {
    const deaths = await dieEverywhere(
      { live, check },
      { name: 'treasury', places: PLACES, parts: 3, settings: settingsFor },
    )
    // The number of places differs from day to day.
    expect(deaths).toBeGreaterThan(0)
  },
  stretched(400_000),
)
