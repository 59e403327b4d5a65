import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestApp } from '../../../proof/testing/app.ts'
import { fakeMarketplace } from '../../../proof/testing/fakeMarketplace.ts'
import { type Market, openMarket } from '../../../proof/testing/market.ts'
import { until } from '../../../proof/testing/until.ts'
import { openDevnet } from '../../../proof/testing/world.ts'
import { systemRuntime } from '../../kernel/index.ts'

// What own stake costs, from the rows of a service that sells; and that the router, the estimate and every process go by it.

const DAY = 86_400
const NAME = 'bazaar'
const BY = { who: 'ann', why: 'a test' }
let devnet: Awaited<ReturnType<typeof openDevnet>>
let market: Market
beforeAll(async () => {
  devnet = await openDevnet()
  const fake = fakeMarketplace(devnet, { name: NAME, key: 9, unitPrice: 20n })
  market = await openMarket({ devnet, marketplaces: [fake], runtime: systemRuntime() })
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})

const costs = () => market.rooms.stakeCosts
const first = async () => (await costs().read()).stakes[0]!
const unitNow = async () => (await costs().read()).costing!.unit
const offered = () =>
  market.rooms.providers.offers().find(({ provider }) => provider === 'own_stake')!.unitPrice

async function round() {
  await costs().loop.runOnce()
  await market.rooms.providers.refresh()
}

async function say(wanted: Parameters<typeof market.rooms.operator.stakeTerms>[0]) {
  const said = await market.rooms.operator.stakeTerms(wanted, BY)
  await market.rooms.providers.refresh()
  return said
}

/** Zero: the sandbox leaves it to what is worked out. */
async function sandboxPrice(unit: number) {
  const set = `update providers.provider set unit_price_sun = $1 where name = 'own_stake'`
  await market.database.sql(set, [unit])
  await market.rooms.providers.refresh()
}

/** The yield at which own stake costs about this much, from its terms now. */
async function yieldFor(unit: bigint) {
  const { yielded, expected } = await first()
  const { yieldBps } = (await costs().read()).terms
  return (unit * expected * yieldBps) / yielded
}

beforeEach(round)

test('the sandbox keeps its 15 SUN; without them there is a figure before any history', async () => {
  expect(offered()).toBe(15n)
  await sandboxPrice(0)
  expect((await costs().read()).terms).toMatchObject({ yieldBps: 500n, floorBps: 8_000n, days: 7n })
  const stake = await first()
  expect(stake).toMatchObject({ seconds: 0n, fees: 0n, isOverride: false })
  expect(stake.expected).toBe(stake.produced)
  const unit = await unitNow()
  expect(offered()).toBe(unit)
  await market.database.sql('delete from providers.stake_cost')
  await market.database.sql('delete from providers.stake_costing')
  await market.rooms.providers.refresh()
  expect(offered()).toBeGreaterThan(0n)
  expect(offered() - unit!).toBeLessThanOrEqual(1n)
})

test('a figure by hand wins, for all stakes or for one', async () => {
  await sandboxPrice(15)
  await say({ unit: 33n })
  expect(offered()).toBe(33n)
  await say({ unit: null })
  expect(offered()).toBe(15n)
  await sandboxPrice(0)
  const stake = toBase58((await market.rooms.signing.addresses('stake'))[0]!)
  await say({ stake, unit: 44n })
  expect([(await first()).isOverride, offered()]).toEqual([true, 44n])
  expect(await say({ stake: 'nobody', unit: 1n })).toMatchObject({ refused: 'validation_error' })
  await say({ stake, unit: null })
  expect([(await first()).isOverride, offered()]).toEqual([false, await unitNow()])
})

test('another yield moves orders to a marketplace and back; above the price nothing is sold', async () => {
  await sandboxPrice(0)
  const client = await market.fundedAccount('100')
  const schedule = Array(24).fill(30)
  await market.settings({ schedule })
  const { providers, delivery } = market.rooms
  const chosen = async () => {
    const { body } = await market.buy(client)
    let found: string | undefined
    await until('a part', async () => {
      const [part] = (await delivery.outlook.storyOf(body.order_id))?.steps ?? []
      found = part?.provider
      return found !== undefined
    })
    return found
  }
  const [cheap, dear, over] = [await yieldFor(10n), await yieldFor(25n), await yieldFor(40n)]
  await say({ yieldBps: cheap })
  expect(offered()).toBeLessThan(20n)
  expect(await chosen()).toBe('own_stake')
  await say({ yieldBps: dear })
  expect(offered()).toBeGreaterThan(20n)
  expect(await chosen()).toBe(NAME)
  await say({ yieldBps: cheap })
  expect(await chosen()).toBe('own_stake')

  await providers.setEnabled(NAME, false)
  await say({ yieldBps: over })
  const estimate = () => market.get(client, '/estimate?resource_amount=65000')
  expect([(await estimate()).status, (await market.buy(client)).status]).toEqual([503, 503])
  await say({ yieldBps: cheap })
  expect((await estimate()).status).toBe(200)
  await providers.setEnabled(NAME, true)
  await say({ yieldBps: 500n })
})

test('with history it is yield and fees over what was sold; without sales it does not grow', async () => {
  await sandboxPrice(0)
  await market.advance(DAY + 3_600)
  await round()
  const idle = await first()
  expect(idle.seconds).toBeGreaterThanOrEqual(BigInt(DAY))
  expect(idle.expected).toBe((idle.produced * 8_000n + 9_999n) / 10_000n)
  const unit = await unitNow()
  for (let day = 0; day < 3; day += 1) {
    await market.advance(DAY)
    await round()
    expect(await unitNow()).toBeLessThanOrEqual(unit! + 1n)
  }
  const before = await first()
  const client = await market.fundedAccount('500')
  await say({ floorBps: 100n, yieldBps: 1n })
  const order = await market.buy(client, { body: { resource_amount: 5_000_000 } })
  expect(order.status).toBe(200)
  await until('the order', async () => {
    market.devnet.chain.mine()
    const [row] = await market.database.sql<{ status: string }>(
      'select status from orders.purchase_order where id = $1',
      [order.body.order_id],
    )
    return row?.status === 'COMPLETED'
  })
  // An hour later its reclaim is sent; what it burned counts as well.
  await market.advance(2 * 3_600)
  await until('the reclaim', async () => {
    market.devnet.chain.mine()
    const open = await market.database.sql(
      `select from delivery.delegation where provider = 'own_stake' and reclaimed_at is null`,
    )
    const unread = await market.database.sql(
      'select from delivery.network_fee where fee_sun is null',
    )
    return open.length + unread.length === 0
  })
  await market.advance(3_600)
  await round()
  const after = await first()
  expect(after.sold - before.sold).toBe(5_000_000n)
  const [burned] = await market.database.sql<{ fees: string }>(
    'select coalesce(sum(fee_sun), 0)::text as fees from delivery.network_fee',
  )
  expect(after.fees).toBe(BigInt(burned!.fees))
  await say({ floorBps: 8_000n, yieldBps: 500n })
})

test('two processes work it out once an hour and offer the same figure', async () => {
  const other = await openTestApp({
    database: market.database,
    devnet,
    runtime: systemRuntime(),
  })
  try {
    await sandboxPrice(0)
    const count = async () =>
      (await market.database.sql('select from providers.stake_costing')).length
    await market.advance(3_700)
    const before = await count()
    const both = [costs().loop, other.rooms.stakeCosts.loop]
    await Promise.all(both.map((loop) => loop.runOnce()))
    await Promise.all(both.map((loop) => loop.runOnce()))
    expect(await count()).toBe(before + 1)
    await market.rooms.providers.refresh()
    await other.rooms.providers.readLoop.runOnce()
    const theirs = other.rooms.providers.offers().find(({ provider }) => provider === 'own_stake')
    expect(theirs?.unitPrice).toBe(offered())
    const { costing } = await other.rooms.stakeCosts.read()
    expect(costing).toEqual((await costs().read()).costing)
  } finally {
    await other.close()
  }
})
