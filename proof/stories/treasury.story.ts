// Proves: treasury, signing, signer, deposits.
import type { Devnet, MarketplaceName } from '@ergon/devnet'
import { toBase58, toHex } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { readTrust, writeTrust } from '../../service/signer/index.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { bookedOn, transfersTo } from '../testing/treasuryBooks.ts'
import { until } from '../testing/until.ts'
import { openDevnet, signerFolder } from '../testing/world.ts'

// The hot wallet sends its surplus to the cold address, and tops up the balance at a marketplace.

const TRX = 1_000_000n
const said = { who: 'ann@example.com', why: 'a test' }
let devnet: Devnet
let standIn: StandIn
let market: Market
let cold: string
let deposit: string
let folder: string

beforeAll(async () => {
  devnet = await openDevnet()
  standIn = await openStandIn(devnet, 'catfee' satisfies MarketplaceName)
  cold = toBase58(devnet.chain.network.funded[4]!.address)
  deposit = toBase58(standIn.market.delegator)
  folder = signerFolder(devnet)
  allow([cold, 60_000, 100_000], [deposit, 5_000, 9_000])
  market = await openMarket({
    devnet,
    signer: { SIGNER_DIR: folder },
    marketplaces: [standIn.adapter],
    standIns: new Map([['catfee', standIn.controlUrl]]),
  })
})
afterAll(async () => {
  await market.close()
  await standIn.close()
  await devnet.close()
})
afterEach(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  expect(await market.rooms.signing.outflows.list()).toEqual([])
})

const treasury = () => market.rooms.treasury
const [follow, plan] = [0, 1].map((n) => () => treasury().loops[n]!.runOnce())
const transfers = () => treasury().view.transfers(20)
const newest = async () => (await transfers())[0]

function allow(...places: [string, number, number][]) {
  const effectiveFrom = new Date(0).toISOString()
  const list = places.map(([address, hourlyTrx, dailyTrx]) => ({
    address,
    hourlyTrx,
    dailyTrx,
    effectiveFrom,
  }))
  writeTrust(folder, { ...readTrust(folder), treasury: list })
}

const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) devnet.chain.mine()
}
const chainBalance = async (address: string) =>
  (await market.rooms.chain.node.getSolidAccount(toHex(address)))?.balance ?? 0n
const booked = (account: string) => bookedOn(market.database, account)

/** Plans until a transfer was asked for, which needs a steady reading. */
async function planned(kind: string) {
  await settled()
  return until(`a ${kind} is asked for`, async () => {
    await plan!()
    const row = await newest()
    return row?.kind === kind && row.state === 'requested' && row
  }).catch(async (error: Error) => {
    const { waits } = await treasury().view.hotWallet()
    const floats = await treasury().view.floats()
    const why = [waits, ...floats.map((one) => `${one.balance} ${one.waits}`)].join('; ')
    throw new Error(`${error.message}: ${why}, after ${(await newest())?.state}`)
  })
}

/** The scanner has read the head, so that readings are steady. */
async function settled() {
  await market.scanned()
  await until('the solid block is known', async () => {
    const at = await market.rooms.chain.progress()
    return at?.solidNumber === devnet.chain.solidNumber
  })
}

async function solid(id: string) {
  await until('it is in the pool or in a block', async () => {
    const row = (await transfers()).find((one) => one.id === id)!
    return devnet.chain.pool.has(row.txid) || devnet.chain.transaction(row.txid)
  })
  mine(SOLID_LAG + 2)
  return until('it is solid', async () => {
    await follow!()
    const row = (await transfers()).find((one) => one.id === id)!
    return row.state !== 'requested' && row
  })
}

async function onlyFloat(changes: { floor?: bigint; ceiling?: bigint; dailyCap?: bigint } = {}) {
  const bounds = { floor: 500n * TRX, ceiling: 2_000n * TRX, dailyCap: 4_000n * TRX }
  const wish = { address: deposit, ...bounds, ...changes }
  const set = await treasury().settings.setFloat('catfee', wish, said)
  expect(set).toMatchObject({ provider: 'catfee' })
  await treasury().settings.turnFloat('catfee', true, said)
}
/** The balance at the marketplace, known to the service as by its poll. */
async function drained(to: bigint) {
  standIn.market.drain(to)
  await market.rooms.providers.refresh()
}
const topUps = (top_up: string) =>
  fetch(standIn.controlUrl, { method: 'POST', body: JSON.stringify({ top_up }) })

test('the signer publishes its destinations; nothing else can be set, and nothing is on by itself', async () => {
  const { settings } = treasury()
  expect(await market.rooms.signing.destinations()).toHaveLength(2)
  const stranger = toBase58(devnet.chain.network.funded[5]!.address)
  const wish = { floor: 100n * TRX, ceiling: 1_000n * TRX, cold }
  const refusal = async (changes: object) => {
    const answer = await settings.setHotWallet({ ...wish, ...changes }, said)
    return 'refused' in answer ? answer.refused : 'set'
  }
  expect(await refusal({ cold: stranger })).toContain('not a destination')
  expect(await refusal({ cold: 'Tnothing' })).toContain('not a TRON address')
  expect(await refusal({ floor: 995n * TRX })).toContain('10 TRX above the floor')
  expect(await refusal({ floor: -1n })).toContain('zero or above')
  expect(await refusal({})).toBe('set')
  const float = { address: deposit, floor: 1n, ceiling: 2_000n * TRX, dailyCap: 4_000n * TRX }
  const float2 = async (name: string, changes: object) => {
    const answer = await settings.setFloat(name, { ...float, ...changes }, said)
    return 'refused' in answer ? answer.refused : 'set'
  }
  expect(await float2('catfee', { address: stranger })).toContain('not a destination')
  expect(await float2('catfee', { address: cold })).toContain('cold address')
  expect(await float2('catfee', { dailyCap: 9_001n * TRX })).toContain('at most 9000 TRX a day')
  expect(await float2('catfee', { dailyCap: 0n })).toContain('at least 10 TRX')
  expect(await float2('own_stake', {})).toContain('no marketplace')
  expect(await settings.turnFloat('catfee', true, said)).toMatchObject({
    refused: expect.stringContaining('set them first'),
  })
  expect((await settings.hotWallet())!.enabled).toBe(false)
  await drained(0n)
  await settled()
  expect(await plan!()).toBe(0)
  expect(await transfers()).toEqual([])
})

test('what is above the ceiling goes to the cold address once, and is booked once', async () => {
  const account = await market.fundedAccount('300')
  mine(SOLID_LAG + 1)
  await settled()
  const before = { hot: await chainBalance(SANDBOX_HOT_ADDRESS), cold: await chainBalance(cold) }
  const owed = await market.balanceSun(account)
  const bounds = { floor: 60_000n * TRX, ceiling: 90_000n * TRX, cold }
  await treasury().settings.setHotWallet(bounds, said)
  await treasury().settings.turnHotWallet(true, said)
  const { id, amount } = await planned('surplus')
  // What clients are owed stays although it lies on deposit addresses; the rest comes to the middle.
  expect(amount).toBe(before.hot - owed - 75_000n * TRX)
  await plan!()
  expect(await transfers()).toHaveLength(1)
  const row = await solid(id)
  expect(row).toMatchObject({ state: 'booked', to: cold })
  expect(await chainBalance(cold)).toBe(before.cold + amount)
  expect(await booked('asset:cold')).toBe(amount)
  await settled()
  expect(await plan!()).toBe(0)
  expect(await transfers()).toHaveLength(1)
})

/** The service plans by itself as well: something holds the surplus at every moment, and the next reason is there before the last one goes. */
test('a shortage, missing TRX and signing that is off hold a surplus; the list says why', async () => {
  const { sql } = market.database
  const count = (await transfers()).length
  const waitsBecause = (reason: string) =>
    until(reason, async () => {
      await settled()
      await plan!()
      return (await treasury().view.hotWallet()).waits?.includes(reason)
    })
  const signs = (enabled: boolean) =>
    sql(`update signing.switch set enabled = $1, reason = 'a test'`, [enabled])
  const published = (length: number) =>
    until('the signer has published it', async () => {
      return (await market.rooms.signing.destinations()).length === length
    })
  await signs(false)
  await treasury().settings.setHotWallet({ floor: 100n * TRX, ceiling: 200n * TRX, cold }, said)
  await waitsBecause('signing is off: a test')
  // The balances of addresses are looked at beside this, and what differs is written down as it is.
  await sql(`create function public.less() returns trigger language plpgsql as
    'begin new.difference_sun := -5000000; return new; end'`)
  await sql(`create trigger less before update on deposits.holding for each row
    execute function public.less()`)
  await sql(`update deposits.holding set difference_sun = 0`)
  await signs(true)
  await waitsBecause('5 TRX less than the books')
  await signs(false)
  await sql(`drop trigger less on deposits.holding`)
  await sql(`update deposits.holding set difference_sun = 0`)
  // The signer's file no longer has the address.
  allow([deposit, 5_000, 9_000])
  await published(1)
  await signs(true)
  await waitsBecause('no destination of the signer')
  await treasury().settings.turnHotWallet(false, said)
  allow([cold, 60_000, 100_000], [deposit, 5_000, 9_000])
  await published(2)
  expect(await transfers()).toHaveLength(count)
})

test('a balance below its floor is topped up to the ceiling, and is booked when it has arrived', async () => {
  await drained(120n * TRX)
  await onlyFloat()
  const { id, amount, before } = await planned('top_up')
  expect([before, amount]).toEqual([120n * TRX, 1_880n * TRX])
  await plan!()
  const row = await solid(id)
  expect(row.state).toBe('solid')
  expect(await booked('asset:top_ups')).toBe(amount)
  await until('it has arrived', async () => {
    await plan!()
    return (await newest())!.state === 'arrived'
  })
  expect([await booked('asset:top_ups'), await booked('asset:provider_float:catfee')]).toEqual([
    0n,
    amount,
  ])
  expect(standIn.market.balance()).toBe(2_000n * TRX)
  await market.rooms.providers.refresh()
  await settled()
  await plan!()
  expect(transfersTo(devnet, deposit)).toBe(1)
})

test('what does not arrive in time stops the next, until a person has decided', async () => {
  const isMissing = async () => {
    await market.database.sql(
      `update treasury.transfer set due_at = now() - interval '1 hour' where state = 'solid'`,
    )
    await until('it is missing', async () => {
      await plan!()
      return (await newest())!.state === 'missing'
    })
    return (await newest())!
  }
  const floats = async () =>
    (await treasury().view.floats()).find((one) => one.provider === 'catfee')!
  await onlyFloat({ ceiling: 700n * TRX })
  const float = await booked('asset:provider_float:catfee')

  // Never credited: waited for once more, then lost.
  await topUps('never')
  await drained(100n * TRX)
  const { id, amount } = await planned('top_up')
  expect(await treasury().decide(id, { as: 'lost' }, said)).toMatchObject({
    refused: expect.stringContaining('only a missing top-up'),
  })
  await solid(id)
  await isMissing()
  expect(await treasury().missing()).toMatchObject({ count: 1n })
  await settled()
  await plan!()
  expect((await newest())!.id).toBe(id)
  expect((await floats()).waits).toContain('a person decides')
  expect(await treasury().decide(id, { as: 'wait' }, said)).toMatchObject({ state: 'solid' })
  await isMissing()
  expect(await treasury().decide(id, { as: 'lost' }, said)).toMatchObject({
    state: 'lost',
    credited: 0n,
  })
  expect(await treasury().decide(id, { as: 'lost' }, said)).toHaveProperty('refused')
  expect(await booked('cost:provider:catfee')).toBe(amount)

  // Another amount: a person says how much of it.
  await topUps('other')
  const other = await planned('top_up')
  await solid(other.id)
  expect((await isMissing()).trouble).toContain(
    'says 699 TRX; with these 600 TRX it would be 700 TRX',
  )
  const decide = (credited: bigint) =>
    treasury().decide(other.id, { as: 'arrived', credited }, said)
  expect(await decide(601n * TRX)).toMatchObject({
    refused: expect.stringContaining('at most 600 TRX'),
  })
  expect(await decide(599n * TRX)).toMatchObject({ state: 'arrived', decidedBy: said.who })
  expect(await booked('cost:provider:catfee')).toBe(amount + TRX)
  expect(await booked('asset:provider_float:catfee')).toBe(float + 599n * TRX)

  // Late: it arrives by itself once it is waited for.
  await topUps('late')
  await drained(100n * TRX)
  const late = await planned('top_up')
  await solid(late.id)
  await isMissing()
  await market.advance(200)
  mine(SOLID_LAG + 2)
  await settled()
  await treasury().decide(late.id, { as: 'wait' }, said)
  await until('it has arrived', async () => {
    await plan!()
    return (await newest())!.state === 'arrived'
  })
  expect(await booked('asset:top_ups')).toBe(0n)
  await topUps('credited')
})

test('caps of a day and of the signer, the floor of the hot wallet, and two planners at once', async () => {
  const spent = await market.database.sql<{ sum: string }>(
    `select sum(amount_sun)::text as sum from treasury.transfer where provider = 'catfee'`,
  )
  const soFar = BigInt(spent[0]!.sum)
  /** A block that becomes solid during a reading holds a top-up as well, for a round. */
  const waitsBecause = (reason: string) =>
    until(reason, async () => {
      await settled()
      await plan!()
      const float = (await treasury().view.floats()).find((one) => one.provider === 'catfee')!
      return float.waits?.includes(reason)
    })
  // Each bound is there before the one before it is taken away: the service plans by itself as well.
  await onlyFloat({ dailyCap: soFar + 5n * TRX })
  await drained(100n * TRX)
  await waitsBecause('its daily cap leaves 5 TRX')
  const hot = await chainBalance(SANDBOX_HOT_ADDRESS)
  await treasury().settings.setHotWallet({ floor: hot, ceiling: 2n * hot, cold }, said)
  await onlyFloat({ dailyCap: 9_000n * TRX })
  await waitsBecause('above its floor')
  allow([cold, 60_000, 100_000], [deposit, 10, 9_000])
  await until('published', async () =>
    (await market.rooms.signing.destinations()).some(({ hour }) => hour === 10n * TRX),
  )
  await treasury().settings.setHotWallet({ floor: 0n, ceiling: 2n * hot, cold }, said)
  await waitsBecause("the signer's cap leaves 0 TRX")
  await onlyFloat({ dailyCap: soFar + 20n * TRX })
  const count = (await transfers()).length
  allow([cold, 60_000, 100_000], [deposit, 5_000, 9_000])
  await until('published', async () =>
    (await market.rooms.signing.destinations()).every(({ hour }) => hour > 10n * TRX),
  )
  await settled()
  await until('asked for', async () => {
    await Promise.all([plan!(), plan!(), plan!()])
    return (await newest())!.state === 'requested'
  })
  expect(await transfers()).toHaveLength(count + 1)
  expect((await newest())!.amount).toBe(20n * TRX)
  await solid((await newest())!.id)
  await until('it has arrived', async () => {
    await plan!()
    return (await newest())!.state === 'arrived'
  })
})

test('bytes that expire are dead, and only then new ones are made; a fork moves nothing twice', async () => {
  await drained(480n * TRX)
  await onlyFloat({ ceiling: 600n * TRX, dailyCap: 9_000n * TRX })
  const { id, txid } = await planned('top_up')
  await until('it is in the pool', () => devnet.chain.pool.has(txid))
  devnet.chain.mine()
  devnet.chain.reorg(1, new Set([txid]))
  // Past its expiration, which the chain tells.
  await market.advance(300)
  await until('it is dead', async () => {
    await market.mineWhenRead()
    await settled()
    await follow!()
    const row = (await transfers()).find((one) => one.id === id)!
    return ['dead', 'solid'].includes(row.state)
  })
  const first = (await transfers()).find((one) => one.id === id)!
  const before = standIn.market.topUps().length
  if (first.state === 'dead') {
    const again = await planned('top_up')
    expect(again.txid).not.toBe(txid)
    devnet.chain.mine()
    devnet.chain.reorg(1)
    await solid(again.id)
  }
  await until('it has arrived', async () => {
    await plan!()
    return (await newest())!.state === 'arrived'
  })
  expect(standIn.market.topUps().length).toBe(before + 1)
  expect(await booked('asset:top_ups')).toBe(0n)
})
