// Proves: treasury, deposits.
import { rmSync } from 'node:fs'
import type { Devnet, MarketplaceName } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../../proof/testing/app.ts'
import { brokenInvariants } from '../../proof/testing/invariants.ts'
import { type Market, openMarket } from '../../proof/testing/market.ts'
import { SOLID_LAG } from '../../proof/testing/solidLag.ts'
import { openStandIn, type StandIn } from '../../proof/testing/standIn.ts'
import { allowTreasury } from '../../proof/testing/treasuryFolder.ts'
import { until } from '../../proof/testing/until.ts'
import { openDevnet, signerFolder } from '../../proof/testing/world.ts'
import type { Deposits } from '../deposits/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { createAsking } from './asking.ts'
import { createReading } from './reading.ts'

// Settings that would take TRX nowhere, and changes by others while a transfer is worked out.

const TRX = 1_000_000n
const said = { who: 'ann', why: 'a test' }
const runtime = systemRuntime()
let devnet: Devnet
let standIn: StandIn
let market: Market
let account: TestAccount
let folder: string
let cold: string
let deposit: string
/** Hot wallet, stake and a deposit address. */
let ours: string[]

beforeAll(async () => {
  devnet = await openDevnet()
  standIn = await openStandIn(devnet, 'catfee' satisfies MarketplaceName)
  cold = toBase58(devnet.chain.network.funded[4]!.address)
  deposit = toBase58(standIn.market.delegator)
  folder = signerFolder(devnet)
  market = await openMarket({
    devnet,
    runtime,
    signer: { SIGNER_DIR: folder },
    marketplaces: [standIn.adapter],
    standIns: new Map([['catfee', standIn.controlUrl]]),
  })
  account = await market.fundedAccount('300')
  ours = [...(await signing().addresses('hot')), ...(await signing().addresses('stake'))]
    .map(toBase58)
    .concat(account.deposit_address)
  expect(ours).toHaveLength(3)
  // The signer knows whose they are no better than who wrote its file.
  const list = [cold, deposit, ...ours]
  allowTreasury(folder, list)
  await until('published', async () => (await signing().destinations()).length === list.length)
  for (let block = 0; block < SOLID_LAG + 2; block++) devnet.chain.mine()
})
afterAll(async () => {
  await market.close()
  await standIn.close()
  await devnet.close()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})

const signing = () => market.rooms.signing
const settings = () => market.rooms.treasury.settings
const wish = { floor: 100n * TRX, ceiling: 200n * TRX, dailyCap: 1_000n * TRX }
const parts = () => ({
  db: market.db,
  runtime,
  log: silentLog,
  signing: signing(),
  chain: () => market.rooms.chain,
})

/** A reading in which something happens just after clients' money was read. */
async function readingWith(meanwhile: () => Promise<unknown>) {
  const { deposits } = market.rooms
  const slow: Deposits = {
    ...deposits,
    reconciling: () => ({
      ...deposits.reconciling(),
      async reconcile() {
        const result = await deposits.reconciling().reconcile()
        await meanwhile()
        return result
      },
    }),
  }
  return createReading({ ...parts(), deposits: slow }).read()
}

test('no transfer goes to the hot wallet, to a stake or to a deposit address', async () => {
  for (const address of ours) {
    const refused = { refused: expect.stringContaining('is an address of ours') }
    expect(await settings().setHotWallet({ ...wish, cold: address }, said)).toEqual(refused)
    expect(await settings().setFloat('catfee', { ...wish, address }, said)).toEqual(refused)
  }
  expect(await settings().setHotWallet({ ...wish, cold }, said)).toMatchObject({ cold })
  expect(await settings().setFloat('catfee', { ...wish, address: deposit }, said)).toMatchObject({
    address: deposit,
  })
})

test('what was turned off or changed during the reading is not asked for', async () => {
  const asking = createAsking(parts())
  const [at] = await market.database.sql<{ turn: string }>('select turn from treasury.turn')
  const of = { turn: BigInt(at!.turn), fromMs: runtime.clock.elapsedMs() }
  const surplus = { kind: 'surplus', provider: null } as const
  const topUp = { kind: 'top_up', provider: 'catfee' } as const
  const amount = 10n * TRX
  expect(await asking.ask({ need: surplus, to: cold, amount, of })).toBe(false)
  expect(await asking.ask({ need: topUp, to: deposit, amount, of })).toBe(false)
  // The address from before it was changed.
  await market.database.sql('update treasury.float set enabled = true')
  expect(await asking.ask({ need: topUp, to: cold, amount, of })).toBe(false)
  // By a process that slept, and after another transfer.
  const slept = { ...of, fromMs: of.fromMs - 61_000 }
  expect(await asking.ask({ need: topUp, to: deposit, amount, of: slept })).toBe(false)
  const late = { ...of, turn: of.turn - 1n }
  expect(await asking.ask({ need: topUp, to: deposit, amount, of: late })).toBe(false)
  expect(await market.rooms.treasury.view.transfers(5)).toEqual([])
  expect(await asking.ask({ need: topUp, to: deposit, amount, of })).toBe(true)
  await market.database.sql('update treasury.float set enabled = false')
})

test('a payout that is cancelled while the hot wallet is read is not taken for surplus', async () => {
  const [id, other] = [runtime.ids.next(), runtime.ids.next()]
  const insert = (one: string) =>
    market.database.sql(
      `begin; set local session_replication_role = replica;
       insert into deposits.payout (id, account_id, to_address, amount_sun, reason, requested_by, requested_at,
         approved_by, approved_at, state, try_after)
       values ('${one}', '${account.account_id}', '${cold}', 200000000, 'a test', 'ann', now(), 'bob', now(),
         'approved', now() + interval '1 day'); commit`,
    )
  const end = (one: string) =>
    market.database.sql(`begin; set local session_replication_role = replica;
      delete from deposits.payout where id = '${one}'; commit`)
  const steady = (what: string) =>
    until(what, async () => {
      await market.scanned()
      const read = await readingWith(async () => {})
      return 'turn' in read && read
    })
  const before = (await steady('a reading')).underWay
  await insert(id)
  expect((await steady('a reading with it')).underWay).toBe(before + 200n * TRX)
  const hold = { hold: 'a payout or a transfer began or ended during the reading' }
  expect(await readingWith(() => end(id))).toEqual(hold)
  expect(await readingWith(() => insert(other))).toEqual(hold)
  await end(other)
})

test('a balance below zero is no reason for more than the ceiling', async () => {
  standIn.market.drain(-5_000n * TRX)
  await market.rooms.providers.refresh()
  await market.database.sql(`delete from treasury.transfer`)
  const bounds = { ...wish, dailyCap: 50_000n * TRX }
  await settings().setFloat('catfee', { ...bounds, address: deposit }, said)
  await settings().turnFloat('catfee', true, said)
  const plan = market.rooms.treasury.loops.find(({ name }) => name === 'treasury.plan')!
  await until('it waits', async () => {
    await market.scanned()
    await plan.runOnce()
    const [float] = await market.rooms.treasury.view.floats()
    return float!.waits === 'it says that its balance is below zero'
  })
  expect(await market.rooms.treasury.view.transfers(5)).toEqual([])
})
