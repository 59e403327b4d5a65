// Proves: deposits, orders, agent.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { advanceBusinessTime } from '../../service/db/index.ts'
import { sun, systemClock } from '../../service/kernel/index.ts'
import { type AgentMarket, BASE, COST_65K, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import { openWorkspace, type Workspace } from '../testing/workspace.ts'

// An attacker who uses up the limit of unverified credit must not cost others their sales: a
// payment made in time waits until its block is solid, and is then sold at its price.

const LIMIT = 10_000_000_000
const HALF_HOUR_S = 30 * 60

let market: AgentMarket
let workspace: Workspace
beforeAll(async () => {
  market = await openAgentMarket()
  workspace = await openWorkspace(market)
  await market.settings({ min_balance_sun: 0 })
})
beforeEach(() => market.settings({ schedule: flatSchedule(30) }))
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await workspace.close()
  await market.close()
})

/**
 * A client that has spent all the credit it gets: any payment to it now has to become final first.
 */
async function spentAccount(): Promise<TestAccount> {
  const account = await market.newAccount()
  await market.settings({ schedule: flatSchedule(2_000) })
  await send(account, LIMIT)
  market.mine()
  await until('credited', async () => (await market.balanceSun(account)) > 0n)
  const { status } = await market.buy(account, { body: { resource_amount: 5_000_000 } })
  expect([status, await market.balanceSun(account)]).toEqual([200, 0n])
  await market.settings({ schedule: flatSchedule(30) })
  return account
}

async function send(to: TestAccount, amountSun: number): Promise<string> {
  const body = { from: market.receivers[2], to: to.deposit_address, amount_sun: amountSun }
  return (await market.call('POST', '/sandbox/chain/transfer', { body })).body.txid
}

const depositOf = async (txid: string) => {
  const text = 'select status from deposits.deposit where txid = $1'
  return (await market.database.sql<{ status: string }>(text, [txid]))[0]?.status
}

/** A checkout whose exact amount is in a block, and cannot be spent yet. */
async function paidCheckout() {
  const client = await spentAccount()
  const body = { receiver_address: market.receivers[1], resource_amount: 65_000 }
  const { body: made } = await workspace.call(client, 'POST', '/checkouts', body)
  const txid = await send(client, made.amount_sun)
  market.mine()
  await until('pending', async () => (await depositOf(txid)) === 'pending')
  const order = async () => (await market.get(client, `/order/${made.id}`)).body
  return { made, txid, order }
}

const loopOf = (name: string) =>
  [...market.rooms.orders.loops, ...market.rooms.deposits.loops].find((l) => l.name === name)!

test('a checkout paid in time is sold at its price, however late its block becomes final', async () => {
  const { made, order } = await paidCheckout()
  await market.settings({ schedule: flatSchedule(36) })
  // Half an hour later blocks become final, and the loop that ends unpaid orders runs first.
  await loopOf('deposits.finish').stop()
  await market.advance(HALF_HOUR_S + 60)
  await loopOf('orders.expireCheckouts').runOnce()
  expect((await order()).status).toBe('AWAITING_PAYMENT')
  loopOf('deposits.finish').start()
  const sold = await until('no longer unpaid', async () => {
    const now = await order()
    return now.status !== 'AWAITING_PAYMENT' && now
  })
  expect(sold).toMatchObject({ error_message: null, total_price_sun: made.total_price_sun })
})

test('a checkout whose payment is gone for good ends as unpaid', async () => {
  const { txid, order } = await paidCheckout()
  market.devnet.chain.reorg(1, new Set([txid]))
  await market.advance(120)
  await until('reverted', async () => (await depositOf(txid)) === 'reverted')
  expect((await order()).status).toBe('AWAITING_PAYMENT')
  await market.advance(HALF_HOUR_S)
  const failed = await until('unpaid', async () => {
    await market.mineWhenRead()
    const now = await order()
    return now.status === 'FAILED' && now
  })
  expect(failed.error_message).toContain('not paid in time')
})

/** A customer's payment to a dedicated address, whose revenue cannot be spent yet. */
async function paidShop() {
  const shop = await spentAccount()
  const config = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const bystander = await market.newConfig(shop)
  const txid = await market.pay(config, BASE)
  market.mine()
  await until('pending', async () => (await depositOf(txid)) === 'pending')
  const states = async () => {
    const { items } = (await market.agent(shop, 'GET', '/configs')).body
    return items.map(({ status }: { status: string }) => status)
  }
  return { shop, bystander, txid, states }
}

/** The payment, once it is sold or skipped. */
function decided(shop: TestAccount, txid: string) {
  return until('decided', async () => {
    const now = await market.payment(shop, txid)
    return now.status !== 'processing' && now
  })
}

const becomesFinal = () => market.mine(SOLID_LAG + 1)

const sold = { skip_reason: null, units: 1, energy: 65_000, cost_sun: COST_65K }

test('an agent payment is sold when its revenue is final: not skipped, nothing is paused', async () => {
  const { shop, txid, states } = await paidShop()
  becomesFinal()
  const payment = await decided(shop, txid)
  expect(payment).toMatchObject(sold)
  expect(await states()).toEqual(['active', 'active'])
})

/** Business time passes without a block, so nothing becomes final. */
async function passWithoutBlocks(seconds: number) {
  const clock = async () => Date.parse((await market.call('GET', '/sandbox/clock')).body.now)
  const end = (await clock()) + seconds * 1_000
  await advanceBusinessTime(market.db, systemClock(), seconds * 1_000)
  await until('the service has followed', async () => (await clock()) >= end)
  await market.rooms.agent.loops.find(({ name }) => name === 'agent.decide')!.runOnce()
}

test('its ten minutes do not begin before it is final, and its price is the first one', async () => {
  const { shop, txid, states } = await paidShop()
  await until('judged', async () => {
    const text = 'select held_cost_sun::int as cost from agent.payment where txid = $1'
    return (await market.database.sql<{ cost: number }>(text, [txid]))[0]?.cost === COST_65K
  })
  await market.settings({ schedule: flatSchedule(36) })
  await passWithoutBlocks(11 * 60)
  expect(await market.payment(shop, txid)).toMatchObject({ status: 'processing' })
  market.devnet.chain.clock.advance(11 * 60_000)
  becomesFinal()
  expect(await decided(shop, txid)).toMatchObject(sold)
  expect(await states()).toEqual(['active', 'active'])
})

test('a payment to a wallet of the client waits for nothing: it brings no revenue', async () => {
  const { shop, bystander, states } = await paidShop()
  const txid = await market.pay(bystander, BASE)
  market.mine()
  const payment = await decided(shop, txid)
  expect(payment).toMatchObject({ status: 'skipped', skip_reason: 'insufficient_balance' })
  expect(await states()).toEqual(['paused', 'paused'])
})

test('a payment whose revenue would not be enough waits for nothing', async () => {
  const { shop, txid } = await paidShop()
  await market.db.transaction((tx) =>
    market.rooms.ledger.post(tx, [
      {
        client: shop.account_id,
        kind: 'deposit_reversal',
        reference: `test ${shop.account_id}`,
        amount: sun(-5_000_000n),
        counter: 'asset:deposit_addresses',
        description: 'test',
        trace: 'test',
      },
    ]),
  )
  becomesFinal()
  const payment = await decided(shop, txid)
  expect(payment).toMatchObject({ status: 'skipped', skip_reason: 'insufficient_balance' })
})
