// Proves: providers, delivery.
import { type Devnet, marketplaceNames } from '@ergon/devnet'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { outcomes } from '../testing/outcomes.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Every behaviour of every marketplace, through its real adapter, as the only provider.

const IMPATIENT_MS = 700

let devnet: Devnet
let standIns: Map<string, StandIn>
let market: Market
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet()
  const open = await Promise.all(marketplaceNames.map((name) => openStandIn(devnet, name)))
  standIns = new Map(open.map((one) => [one.name, one]))
  market = await openMarket({
    devnet,
    marketplaces: open.map((one) => one.adapterWith({ timeoutMs: IMPATIENT_MS })),
    standIns: new Map(open.map(({ name, controlUrl }) => [name, controlUrl])),
  })
  client = await market.fundedAccount('10000')
  await behave('own_stake', 'down')
  for (const name of marketplaceNames) await behave(name, 'down')
})
afterAll(async () => {
  await market.close()
  await Promise.all([...standIns.values()].map((one) => one.close()))
  await devnet.close()
})

async function behave(name: string, behaviour: string) {
  const answer = await market.call('POST', `/sandbox/providers/${name}`, { body: { behaviour } })
  expect(answer.status).toBe(200)
}

let next = 0
const aReceiver = () => market.receivers[next++ % market.receivers.length]!
const read = async (id: string) => (await market.get(client, `/order/${id}`)).body

async function final(id: string) {
  return until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    const now = await read(id)
    return ['COMPLETED', 'FAILED'].includes(now.status) && now
  })
}

const attemptsOf = (id: string) =>
  market.database.sql<{ state: string; told: string | null; order_id: string | null }>(
    `select a.state, a.told, a.order_id from delivery.attempt a join delivery.part p on p.id = a.part_id
      where p.request_id = $1`,
    [id],
  )

const goodwill = (id: string) =>
  market.database.sql(
    `select from ledger.movement m join delivery.attempt a on a.id::text = m.reference_id
       join delivery.part p on p.id = a.part_id
      where p.request_id = $1 and m.kind = 'provider_goodwill'`,
    [id],
  )

describe.each(marketplaceNames)('%s', (name) => {
  test.each(outcomes)('%s: %s in time, delivered at most once for one price', async (...row) => {
    const [behaviour, status, usual] = row
    // TronSave does not end a partly filled order: only the deadline does.
    const seconds = name === 'tronsave' && behaviour === 'partial' ? 125 : usual
    await behave(name, behaviour)
    const receiver = aReceiver()
    const standIn = standIns.get(name)!
    const before = await market.balanceSun(client)
    const given = await standIn.energyAt(parseAddress(receiver)!)
    const { body } = await market.buy(client, { body: { receiver_address: receiver } })
    const id = body.order_id as string
    await until('it was called', async () => {
      const [attempt] = await attemptsOf(id)
      return attempt && attempt.state !== 'sending'
    })
    if (seconds > 0) await market.advance(seconds)
    const done = await final(id)
    expect(done.status).toBe(status)
    const price = status === 'COMPLETED' ? BigInt(done.total_price_sun) : 0n
    expect(await market.balanceSun(client)).toBe(before - price)
    if (behaviour === 'late') {
      await market.advance(60)
      await until('what came late is booked', async () => {
        await market.mineWhenRead()
        return (await goodwill(id)).length === 1
      })
    }
    expect(await attemptsOf(id)).toHaveLength(1)
    const more = (await standIn.energyAt(parseAddress(receiver)!)) - given
    expect(more).toBeLessThan(65_300n)
    if (status === 'COMPLETED') expect(more).toBeGreaterThanOrEqual(65_000n)
    expect(await brokenInvariants(market.database)).toEqual([])
    await behave(name, 'down')
  })

  test('down: nothing is sold', async () => {
    await behave(name, 'down')
    expect((await market.buy(client)).status).toBe(503)
  })
})

test('the prepaid balance at each of them is shown, counts as ours, and raises an alarm when it is low', async () => {
  await market.rooms.providers.refresh()
  const health = await market.rooms.providers.health()
  const floats = new Map(health.map(({ name, float }) => [name, float]))
  expect(floats.get('own_stake')).toBeNull()
  for (const name of marketplaceNames) expect(floats.get(name)).toBeGreaterThan(0n)
  const sum = marketplaceNames.reduce((total, name) => total + floats.get(name)!, 0n)
  const reconciling = market.rooms.deposits.reconciling()
  const { floats: prepaid, surplus, ...rest } = await reconciling.reconcile()
  expect(prepaid).toBe(sum)
  // Prepaid balances do not count as cover: what is owed is compared with the chain alone.
  const owed = rest.clients + rest.escrow - rest.notVerified
  expect(surplus).toBe(rest.depositAddresses.onChain + rest.hot - owed)
  const { text } = await market.call('GET', '/metrics')
  const balances = new RegExp(
    `^ergon_provider_float_sun\\{provider="catfee"\\} ${floats.get('catfee')}$`,
    'm',
  )
  expect(text).toMatch(balances)
  const low = async () => {
    const { all } = await market.rooms.operator.status()
    return all.find(({ what }) => what === 'floats_low')!.count
  }
  expect(await low()).toBe(0n)
  await market.database.sql(`update providers.provider set float_sun = 5 where name = 'itrx'`)
  expect(await low()).toBe(1n)
})
