// Proves: treasury, deposits, signer.
import { rmSync } from 'node:fs'
import type { MarketplaceName } from '@ergon/devnet'
import { toBase58, toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { copyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { confirm } from '../testing/recovery.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { transfersTo } from '../testing/treasuryBooks.ts'
import { allowTreasury } from '../testing/treasuryFolder.ts'
import { until } from '../testing/until.ts'
import { signerFolder } from '../testing/world.ts'

// The database goes back in time; the transfers of the treasury do not.

const TRX = 1_000_000n
const said = { who: 'ann', why: 'a test' }
let time: PassingTime
let standIn: StandIn
let market: Market
let lost: TestDatabase
let restored: TestDatabase
let folder: string
let cold: string
let deposit: string
/** Asked for before the moment; asked for after it. */
const txids = { waiting: '', surplus: '', topUp: '' }
const sent = { cold: 0, deposit: 0 }

const treasury = () => market.rooms.treasury
const transfers = () => treasury().view.transfers(20)
const [follow, plan] = [0, 1].map((n) => () => treasury().loops[n]!.runOnce())
const mine = (blocks = 1) => time.pass(blocks * 3)
const recovering = () => market.rooms.deposits.recovering()
const counted = () => ({
  cold: transfersTo(time.devnet, cold),
  deposit: transfersTo(time.devnet, deposit),
})
const floor = async (ceiling: bigint) => {
  const wish = { floor: ceiling - 2_000n * TRX, ceiling, cold }
  expect(await treasury().settings.setHotWallet(wish, said)).not.toHaveProperty('refused')
}
const booked = (database: TestDatabase) =>
  database.sql(
    `select kind, reference_id, debit, credit, amount_sun from ledger.movement
      where reference_id = any ($1) order by reference_id, kind`,
    [Object.values(txids)],
  )

async function open(database: TestDatabase) {
  market = await openMarket({
    database,
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
    signer: { SIGNER_DIR: folder },
    marketplaces: [standIn.adapter],
    standIns: new Map([['catfee', standIn.controlUrl]]),
  })
}

/** The scanner has read the head, so that readings are steady. */
async function settled() {
  await market.scanned()
  await until('the solid block is known', async () => {
    const at = await market.rooms.chain.progress()
    return at?.solidNumber === time.devnet.chain.solidNumber
  })
}

async function asked(kind: string, known: readonly string[]) {
  await settled()
  return until(`a ${kind} is asked for`, async () => {
    await plan!()
    return (await transfers()).find((one) => one.kind === kind && !known.includes(one.txid))
  })
}

async function untilIs(txid: string, state: string) {
  await until(`${txid} is ${state}`, async () => {
    mine()
    await settled()
    await follow!()
    await plan!()
    return (await transfers()).find((one) => one.txid === txid)?.state === state
  })
}

async function drained(to: bigint) {
  standIn.market.drain(to)
  await market.rooms.providers.refresh()
}

beforeAll(async () => {
  time = await openPassingTime()
  standIn = await openStandIn(time.devnet, 'catfee' satisfies MarketplaceName)
  cold = toBase58(time.devnet.chain.network.funded[4]!.address)
  deposit = toBase58(standIn.market.delegator)
  folder = signerFolder(time.devnet)
  allowTreasury(folder, [cold, deposit])
  lost = await createTestDatabase()
  standIn.market.drain(2_000n * TRX)
  await open(lost)
})
afterAll(async () => {
  await market.close()
  await standIn.close()
  await time.devnet.close()
  await Promise.all([lost.drop(), restored?.drop()])
  rmSync(folder, { recursive: true, force: true })
})

test('until the moment: a surplus was asked for, and nobody has signed it', async () => {
  mine(SOLID_LAG + 2)
  await settled()
  const { settings } = treasury()
  const bounds = { floor: 500n * TRX, ceiling: 2_000n * TRX, dailyCap: 9_000n * TRX }
  await settings.setFloat('catfee', { address: deposit, ...bounds }, said)
  expect(await settings.turnFloat('catfee', true, said)).toMatchObject({ enabled: true })
  const account = await market.rooms.chain.node.getSolidAccount(toHex(SANDBOX_HOT_ADDRESS))
  await floor(account!.balance - 1_000n * TRX)
  await market.signer!.stop()
  expect(await settings.turnHotWallet(true, said)).toMatchObject({ enabled: true })
  txids.waiting = (await asked('surplus', [])).txid
  await market.close()
  restored = await copyDatabase(lost)
})

test('after the moment: it is mined, and so are another surplus and a top-up', async () => {
  await open(lost)
  await untilIs(txids.waiting, 'booked')
  await drained(100n * TRX)
  txids.topUp = (await asked('top_up', [])).txid
  await untilIs(txids.topUp, 'arrived')
  const account = await market.rooms.chain.node.getSolidAccount(toHex(SANDBOX_HOT_ADDRESS))
  await floor(account!.balance - 1_000n * TRX)
  txids.surplus = (await asked('surplus', [txids.waiting])).txid
  await untilIs(txids.surplus, 'booked')
  mine(SOLID_LAG + 2)
  await settled()
  expect(await brokenInvariants(lost)).toEqual([])
  await market.close()
  Object.assign(sent, counted())
  expect(sent).toEqual({ cold: 2, deposit: 1 })
})

test('in recovery nothing is asked for, signed or sent, however low the float is', async () => {
  standIn.market.drain(100n * TRX)
  await open(restored)
  await market.scanned()
  await until('it knows', () => market.rooms.chain.lag.behind()?.reason === 'recovery')
  await market.rooms.providers.refresh()
  for (let round = 0; round < SOLID_LAG + 2; round++) {
    mine()
    await settled()
    await follow!()
    await plan!()
  }
  expect(counted()).toEqual(sent)
  expect((await transfers()).map(({ txid }) => txid)).toEqual([txids.waiting])
  const [float] = await treasury().view.floats()
  expect(float!.waits).toMatch(/recover/)
})

test('recovery books each once, also in two processes; the top-up waits for a person', async () => {
  await Promise.allSettled([recovering().recover(), recovering().recover()])
  expect(await recovering().recover()).toMatchObject({ booked: new Map(), open: [], waiting: 0 })
  await follow!()
  const rows = new Map((await transfers()).map((row) => [row.txid, row]))
  expect(rows.size).toBe(3)
  expect(rows.get(txids.waiting)).toMatchObject({ kind: 'surplus', state: 'booked' })
  expect(rows.get(txids.surplus)).toMatchObject({ kind: 'surplus', state: 'booked', to: cold })
  expect(rows.get(txids.topUp)).toMatchObject({
    state: 'missing',
    provider: 'catfee',
    before: null,
  })
  expect(await treasury().missing()).toMatchObject({ count: 1n })
  const movements = await booked(lost)
  const isCredit = ({ kind }: Record<string, unknown>) => kind === 'top_up_arrived'
  expect(movements.filter(isCredit)).toHaveLength(1)
  expect(await booked(restored)).toEqual(movements.filter((one) => !isCredit(one)))
})

test('the signer’s machine confirms it; nothing is sent again, and the books are those that were lost', async () => {
  const first = await confirm(restored, folder)
  const seen = first.confirmed ? [] : first.unseen.map(({ txid }) => txid)
  const done = first.confirmed ? first : await confirm(restored, folder, seen, first.booked)
  expect(done.confirmed).toBe(true)
  await until('it is over', async () => {
    mine()
    await market.rooms.chain.lag.look()
    return market.rooms.chain.lag.behind() === undefined
  })
  const rounds = async () => {
    for (let round = 0; round < SOLID_LAG + 2; round++) {
      mine()
      await settled()
      await follow!()
      await plan!()
    }
  }
  await market.rooms.providers.refresh()
  await rounds()
  expect(counted()).toEqual(sent)
  const [float] = await treasury().view.floats()
  expect(float!.waits).toContain('a person decides')
  const topUp = (await transfers()).find(({ txid }) => txid === txids.topUp)!
  standIn.market.drain(2_000n * TRX)
  await market.rooms.providers.refresh()
  expect(await treasury().decide(topUp.id, { as: 'arrived' }, said)).toMatchObject({
    state: 'arrived',
  })
  await rounds()
  expect(counted()).toEqual(sent)
  expect(await transfers()).toHaveLength(3)
  expect(await booked(restored)).toEqual(await booked(lost))
  expect(await brokenInvariants(restored)).toEqual([])
})
