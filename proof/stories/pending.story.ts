// Proves: chain, deposits, delivery, agent, autoenergy, operator.
import { toBase58, toHex } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import { type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import { approveBoth } from '../testing/approvals.ts'
import { type NodeLike, openNodeLike } from '../testing/nodeLike.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// On the ports of a full node as it comes. It shows transactions of its pool as if they were in a block:
// nobody is credited, billed, supplied or paid because of them.

const TRX = 1_000_000n
let devnet: Awaited<ReturnType<typeof openDevnet>>
let node: NodeLike
let market: AgentMarket
beforeAll(async () => {
  devnet = await openDevnet()
  node = await openNodeLike(devnet.url)
  market = await openAgentMarket({ devnet, nodeUrls: [node.url], sweepMin: sun(10n * TRX) })
})
afterAll(async () => {
  await market.close()
  await node.close()
  await devnet.close()
})
beforeEach(() => node.levers.pending.clear())

/** Every loop has looked at what the node says now. */
async function everyLoopRuns() {
  const { chain, deposits, delivery, orders, agent, autoenergy } = market.rooms
  await chain.scanLoop.runOnce()
  for (const { loops } of [orders, delivery, agent, autoenergy, deposits]) {
    for (const loop of loops) await loop.runOnce()
  }
}

async function verifiedAccount(trx: string) {
  const account = await market.fundedAccount(trx)
  await until('the deposit to be verified', async () => {
    await market.mineWhenRead()
    const { deposits } = (await market.get(account, '/deposits')).body
    return deposits[0].verified_at !== null
  })
  return account
}

const statusOf = async (account: { api_key: string }, order: string) =>
  (await market.call('GET', `/v1/order/${order}`, { key: account.api_key })).body.status

test('a deposit is credited when it is in a block', async () => {
  const account = await market.newAccount({ deposit_trx: '50' })
  node.levers.pending.set(toHex(account.deposit_address), 50n * TRX)
  await everyLoopRuns()
  expect(await market.balanceSun(account)).toBe(0n)
  market.mine()
  await until('the credit', async () => (await market.balanceSun(account)) === 50n * TRX)
})

test('a delegation delivers when it is in a block, and its reclaim ends it', async () => {
  const account = await market.fundedAccount('100')
  const { order_id } = (await market.buy(account)).body
  await until('the delegation in the pool', () => devnet.chain.pool.size > 0)
  await everyLoopRuns()
  expect(await statusOf(account, order_id)).toBe('PROCESSING')
  market.mine()
  await until('it is delivered', async () => (await statusOf(account, order_id)) === 'COMPLETED')
  await market.advance(3_700)
  const open = () =>
    market.database.sql('select from delivery.delegation where reclaimed_at is null')
  await until('the reclaim in the pool', () => devnet.chain.pool.size > 0)
  await everyLoopRuns()
  expect(await open()).toHaveLength(1)
  await until('the reclaim', async () => {
    await market.mineWhenRead()
    return (await open()).length === 0
  })
})

test('a payment to an agent is sold when it is in a block', async () => {
  const account = await verifiedAccount('100')
  const config = await market.newConfig(account)
  const txid = await market.pay(config, BASE)
  await everyLoopRuns()
  const { body } = await market.agent(account, 'GET', '/payments?page_size=100')
  expect(body.items).toEqual([])
  market.mine()
  expect(await market.payment(account, txid)).toMatchObject({ amount_sun: BASE })
})

test('AutoEnergy covers an address when its activation is in a solid block', async () => {
  const account = await verifiedAccount('300')
  const { address } = await TronWeb.createAccount()
  const body = { address: address.base58 }
  const subscribe = () =>
    market.call('POST', '/v1/autoenergy/subscriptions', { key: account.api_key, body })
  const before = await market.balanceSun(account)
  node.levers.pending.set(toHex(address.base58), TRX)
  const early = await subscribe()
  expect(early.status).toBe(422)
  expect(early.text).toContain('no final block yet')
  expect(await market.balanceSun(account)).toBe(before)
  const from = market.receivers.at(-1)
  const transfer = { from, to: address.base58, amount_sun: Number(TRX) }
  await market.call('POST', '/sandbox/chain/transfer', { body: transfer })
  market.mine(SOLID_LAG + 1)
  expect((await subscribe()).status).toBe(201)
})

test('a receiver that is only pending is not kept as one that can receive', async () => {
  const { address } = await TronWeb.createAccount()
  const { receivers } = market.rooms.chain
  // A node that is slow for a moment is no answer.
  const becomes = (state: string) =>
    until(state, async () => (await receivers.stateOf(toHex(address.base58))) === state)
  await becomes('not_activated')
  node.levers.pending.set(toHex(address.base58), TRX)
  await becomes('able')
  expect(await market.rooms.orders.receiverRefusal(address.base58)).toBeUndefined()
  node.levers.pending.clear()
  await becomes('not_activated')
  await until('the refusal', () => market.rooms.orders.receiverRefusal(address.base58))
})

test('GET /public/energy tells what a solid block has', async () => {
  const { address } = await TronWeb.createAccount()
  node.levers.pending.set(toHex(address.base58), TRX)
  const query = new URLSearchParams({ from: market.receivers[0]!, to: address.base58 })
  const { status, body } = await market.call('GET', `/v1/public/energy?${query}`)
  expect([status, body.receiver_activated]).toEqual([200, false])
})

test('solvency and sweeps go by solid balances', async () => {
  const account = await verifiedAccount('40')
  const reconcile = async () => (await market.rooms.deposits.reconciling().reconcile()).surplus
  const before = await reconcile()
  node.levers.pending.set(toHex(SANDBOX_HOT_ADDRESS), 10n ** 15n)
  node.levers.pending.set(toHex(account.deposit_address), 0n)
  expect(await reconcile()).toBe(before)
  const [swept] = await until('the sweep', async () => {
    await everyLoopRuns()
    const rows = await market.database.sql<{ amount_sun: string; state: string }>(
      'select amount_sun, state from deposits.sweep where address = $1',
      [account.deposit_address],
    )
    return rows.length > 0 && rows
  })
  expect(swept!.amount_sun).toBe(String(40n * TRX))
})

test('a payout is paid when it is in a solid block', async () => {
  const account = await verifiedAccount('100')
  const { payouts } = market.rooms.deposits
  const to = toBase58(devnet.chain.network.funded[3]!.address)
  const wish = {
    account: account.account_id,
    to,
    amount: sun(30n * TRX),
    reason: 'asked',
    by: 'Ann',
  }
  const asked = await payouts.request(wish)
  if ('refused' in asked) throw new Error(asked.refused)
  await approveBoth(payouts, asked.id, ['ann', 'bob'])
  const txid = await until('it in the pool', async () => {
    const [signed] = (await payouts.find(asked.id))!.signed
    return signed && devnet.chain.pool.has(signed.txid) && signed.txid
  })
  const shown = await fetch(`${node.url}/wallet/gettransactionbyid`, {
    method: 'POST',
    body: JSON.stringify({ value: txid }),
  })
  expect(await shown.json()).toMatchObject({ txID: txid, ret: [{ contractRet: 'SUCCESS' }] })
  await everyLoopRuns()
  expect((await payouts.find(asked.id))!.state).not.toBe('paid')
  expect(JSON.stringify(await payouts.cancel(asked.id, 'bob'))).not.toContain('paid')
  await until('it is paid', async () => {
    await market.mineWhenRead()
    return (await payouts.find(asked.id))!.state === 'paid'
  })
})

test('nobody asks for a transaction by its id, which shows pending ones', () => {
  // The last test asked once.
  expect(node.asked.filter((path) => path === 'wallet/gettransactionbyid')).toHaveLength(1)
  expect(new Set(node.asked)).toContain('walletsolidity/getaccount')
})
