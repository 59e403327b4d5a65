// Proves: pricing, orders, agent, operator.
import { isDeepStrictEqual } from 'node:util'
import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, openAgentMarket } from '../testing/agent.ts'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { openOperator } from '../testing/operator.ts'
import { until } from '../testing/until.ts'
import type { Visitor } from '../testing/visitor.ts'
import { openWorkspace, type Workspace } from '../testing/workspace.ts'
import { openDevnet } from '../testing/world.ts'

// An operator lets prices follow wholesale. Every answer of both nodes has the same price at one moment.

const ENERGY = 65_000
const why = 'a test of followed prices'
const RULE = { margin_sun: 3, change_max_sun: 4, amount_max: 200_000 }

let devnet: Devnet
let market: AgentMarket
let second: TestApp
let fake: FakeMarketplace
let ann: Visitor
let client: TestAccount
let workspace: Workspace

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9, unitPrice: 15n })
  market = await openAgentMarket({ devnet, marketplaces: [fake] })
  const { database } = market
  second = await openTestApp({ database, devnet, role: 'api', marketplaces: [fake] })
  ann = await openOperator(market, 'ann@example.com')
  client = await market.fundedAccount('1000')
  workspace = await openWorkspace(market)
  // Wholesale is recorded some minutes before the first order.
  await market.rooms.pricing.following.loop.runOnce()
  await market.advance(180)
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await workspace.close()
  await second.close()
  await market.close()
  await devnet.close()
})

const publicPrice = async (app: TestApp) =>
  (await app.call('GET', '/v1/public/pricing', { key: client.api_key })).body

/** What one node says to the client now, in SUN per Energy. */
async function shown(app: TestApp) {
  const get = async (path: string) =>
    (await app.call('GET', `/v1${path}`, { key: client.api_key })).body
  const price = await publicPrice(app)
  const estimate = await get(`/estimate?resource_amount=${ENERGY}`)
  const agent = await get(`/agent/quote?energy=${ENERGY}`)
  const held = await app.call('POST', '/v1/quotes', {
    key: client.api_key,
    body: { resource_amount: ENERGY },
  })
  return {
    public: price.unit_price_sun,
    estimate: estimate.total_price_sun / ENERGY,
    quote: held.body.price_sun / ENERGY,
    agent: agent.cost_now_sun / ENERGY,
    agentMax: agent.cost_max_sun / ENERGY,
    schedule: new Set(price.schedule),
  }
}

/** Both nodes say this price, the schedule stays, and a purchase pays it. */
async function pays(unit: number) {
  const all = { public: unit, estimate: unit, quote: unit, agent: unit }
  const expected = { ...all, agentMax: 30, schedule: new Set([30]) }
  // A moved clock passes the five seconds in which the other node reads the new price.
  await until(`both nodes say ${unit}`, async () => {
    const said = [await publicPrice(market), await publicPrice(second)]
    return said.every((price) => price.unit_price_sun === unit)
  })
  await until(`every answer says ${unit}`, async () => {
    const said = [await shown(market), await shown(second)]
    return isDeepStrictEqual(said, [expected, expected])
  })
  const { body } = await market.buy(client, { body: { resource_amount: ENERGY } })
  expect(body.total_price_sun).toBe(unit * ENERGY)
}

/** So much later; the loop has moved the price and both nodes know it. */
async function later(seconds: number) {
  await market.advance(seconds)
  await market.rooms.pricing.following.loop.runOnce()
  await Promise.all([market.rooms.pricing.refresh(), second.rooms.pricing.refresh()])
  await market.advance(5)
}

test('off by default: everybody pays the schedule', async () => {
  expect((await ann.call('GET', '/followed')).body).toMatchObject({
    schedule_sun: 30,
    public_sun: 30,
    rules: [],
    experiments: [],
  })
  await pays(30)
})

test('a replay shows what the last seven days would have brought, and changes nothing', async () => {
  await until('the purchase is delivered', async () => {
    await market.mineWhenRead()
    const { orders } = (await market.get(client, '/orders')).body
    return orders.every(({ status }: { status: string }) => status === 'COMPLETED')
  })
  const { status, body } = await ann.call('POST', '/followed/replay', RULE)
  expect([status, body.orders, body.unknown]).toEqual([200, 1, 0])
  expect(body.was.revenue_trx).toBe('1.95')
  // The rule's price would have fallen by 4 SUN before the order, at least.
  expect(Number(body.would.revenue_trx)).toBeLessThanOrEqual((26 * ENERGY) / 1e6)
  expect(body.would.orders).toBe(1)
  await pays(30)
})

test('all answers of both nodes agree on the followed price, from one moment on', async () => {
  const want = { receiver_address: market.receivers[1], resource_amount: ENERGY }
  const opened = await workspace.call(client, 'POST', '/checkouts', want)
  const begun = await ann.call('POST', '/followed', { ...RULE, why })
  expect([begun.status, begun.body.margin_sun]).toEqual([200, 3])
  await second.rooms.pricing.refresh()
  await market.advance(6)
  await pays(26)
  // What a checkout showed is what it costs.
  await buysByCheckout(opened.body)
  await later(3_600)
  await pays(22)
})

/** Pays what the checkout showed; the account keeps what it had. */
async function buysByCheckout({ id, amount_sun }: { id: string; amount_sun: number }) {
  const from = market.receivers[2]
  const body = { from, to: client.deposit_address, amount_sun }
  const before = await market.balanceSun(client)
  await market.call('POST', '/sandbox/chain/transfer', { body })
  await until('the checkout is paid', async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${id}`)).body.status !== 'AWAITING_PAYMENT'
  })
  expect((await market.get(client, `/order/${id}`)).body.status).not.toBe('FAILED')
  // The cents that tell checkouts apart stay on the balance.
  const extra = BigInt(amount_sun - 30 * ENERGY)
  expect(await market.balanceSun(client)).toBe(before + extra)
}

test("an agent's customer is sold to at the base payment, and the agent pays the followed price", async () => {
  const config = await market.newConfig(client, { base_payment_sun: 30 * ENERGY })
  const txid = await market.pay(config, 30 * ENERGY, 1)
  market.mine()
  const { cost_sun } = await market.payment(client, txid, 'delivering')
  expect(cost_sun).toBe(22 * ENERGY)
})

test('a group has a rule of its own, and an unknown group none', async () => {
  const rule = { ...RULE, change_max_sun: 10, group: 'resellers', why }
  expect((await ann.call('POST', '/followed', rule)).status).toBe(400)
  await ann.call('POST', '/groups', { name: 'resellers', why })
  expect((await ann.call('POST', '/followed', rule)).status).toBe(200)
  const { body } = await ann.call('GET', '/followed')
  expect(body.rules.map(({ group }: { group: string }) => group)).toEqual(['', 'resellers'])
  await market.rooms.clients.move(client.account_id, 'resellers')
  await later(6)
  const price = await market.call('GET', `/v1/estimate?resource_amount=${ENERGY}`, {
    key: client.api_key,
  })
  // Both within an hour of 26: the group's rule may move by 10, the common one by 4.
  expect(price.body.total_price_sun).toBe(18 * ENERGY)
  await market.rooms.clients.move(client.account_id, null)
})

test('who did it and why is in the log, and it ends with the same words', async () => {
  expect((await ann.call('POST', '/followed/end', { experiment: true, why })).status).toBe(404)
  expect((await ann.call('POST', '/followed/end', { experiment: false, why })).status).toBe(200)
  const { actions } = (await ann.call('GET', '/actions?limit=1')).body
  expect(actions[0]).toMatchObject({ what: 'end_followed_prices', subject: 'everybody', why })
  await later(6)
  await pays(30)
})

test('an experiment shows both halves and how sure the difference is', async () => {
  const begun = await ann.call('POST', '/followed', { ...RULE, days: 2, why })
  expect(begun.status).toBe(200)
  const again = await ann.call('POST', '/followed', { ...RULE, days: 2, why })
  expect(again.status).toBe(409)
  const [experiment] = (await ann.call('GET', '/followed')).body.experiments
  expect(experiment).toMatchObject({ rule: { group: '' }, difference: null, unknown: 0 })
  expect(experiment.tried.accounts + experiment.others.accounts).toBe(1)
})
