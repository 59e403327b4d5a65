// Proves: chain, orders, agent, autoenergy.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { moveHead } from '../testing/moveHead.ts'
import { until } from '../testing/until.ts'
import { openWorkspace, type Workspace } from '../testing/workspace.ts'

// While the scanner lags nothing is sold, and nothing that was begun is lost. Here it keeps
// reading, but the recorded head is minutes ahead of the last block read.

let market: AgentMarket
let workspace: Workspace
beforeAll(async () => {
  market = await openAgentMarket()
  workspace = await openWorkspace(market)
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await workspace.close()
  await market.close()
})

beforeEach(() => moveHead(market, 5))
afterEach(async () => {
  await moveHead(market, -5)
  expect(market.rooms.chain.lag.behind()).toBeUndefined()
})

/** Runs work while the scanner does not lag. */
async function whileKeepingUp<T>(work: () => Promise<T>): Promise<T> {
  await moveHead(market, -5)
  const done = await work()
  await moveHead(market, 5)
  return done
}

test('a checkout is not opened, and one that is paid meanwhile stays a deposit', async () => {
  const client = await market.newAccount()
  const want = { receiver_address: market.receivers[1], resource_amount: 65_000 }
  const open = () => workspace.call(client, 'POST', '/checkouts', want)
  expect((await open()).status).toBe(503)
  const { id, amount_sun } = (await whileKeepingUp(open)).body
  const body = { from: market.receivers[2], to: client.deposit_address, amount_sun }
  await market.call('POST', '/sandbox/chain/transfer', { body })
  market.mine()
  await until('the deposit', async () => (await market.balanceSun(client)) === BigInt(amount_sun))
  expect((await market.get(client, `/order/${id}`)).body.status).toBe('AWAITING_PAYMENT')
})

test('a pay page offers nothing; a payment waits and is sold when we have caught up', async () => {
  const client = await market.fundedAccount('200')
  const config = await market.newConfig(client)
  const isAvailable = async () =>
    (await market.call('GET', `/v1/pay/${config.public_id}`)).body.available
  expect(await isAvailable()).toBe(false)
  const txid = await market.pay(config, BASE, 1)
  market.mine()
  await market.payment(client, txid, 'processing')
  const [decide] = market.rooms.agent.loops
  for (let round = 0; round < 3; round++) await decide!.runOnce()
  await market.payment(client, txid, 'processing')
  await whileKeepingUp(async () => {
    expect(await isAvailable()).toBe(true)
    await market.payment(client, txid, 'delivering')
  })
})

test('standing Energy is not topped up; it is when we have caught up', async () => {
  const client = await market.fundedAccount('200')
  const address = market.receivers[6]!
  const path = '/v1/autoenergy/subscriptions'
  const made = await market.call('POST', path, { key: client.api_key, body: { address } })
  expect(made.status).toBe(201)
  const movesOf = () =>
    market.database.sql('select from delivery.standing_move where address = $1', [address])
  const standing = market.rooms.delivery.loops.find(({ name }) => name === 'delivery.standing')!
  for (let round = 0; round < 3; round++) await standing.runOnce()
  expect(await movesOf()).toEqual([])
  await whileKeepingUp(() => until('a top-up', async () => (await movesOf()).length > 0))
})
