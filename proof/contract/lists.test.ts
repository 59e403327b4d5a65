// Proves: account, agent, autoenergy, deposits.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import { type AgentMarket, BASE, COST_65K, offer, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { until } from '../testing/until.ts'

// Lists are newest first and 20 items long, whatever is in them; and what is counted while it is under way.

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  shop = await market.fundedAccount('900')
})
afterAll(() => market?.close())

const MORE_THAN_A_PAGE = 21

test('without a limit there are 20 entries and 20 deposits', async () => {
  const account = await market.newAccount()
  const body = { from: market.receivers[2], to: account.deposit_address }
  for (let amount_sun = 1; amount_sun <= MORE_THAN_A_PAGE; amount_sun++) {
    await market.call('POST', '/sandbox/chain/transfer', { body: { ...body, amount_sun } })
  }
  market.mine()
  await until('all are credited', async () => {
    const { deposits } = (await market.get(account, '/deposits?limit=100')).body
    return deposits.length === MORE_THAN_A_PAGE
  })
  const deposits = (await market.get(account, '/deposits')).body
  expect([deposits.deposits.length, deposits.has_more]).toEqual([20, true])
  const entries = (await market.get(account, '/transactions')).body
  expect([entries.transactions.length, entries.has_more]).toEqual([20, true])
})

test('configurations, their payments and subscriptions are listed newest first', async () => {
  const configs = [await market.newConfig(shop), await market.newConfig(shop)]
  const listed = (await market.agent(shop, 'GET', '/configs')).body.items
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(
    configs.map(({ id }) => id).toReversed(),
  )
  const txids: string[] = []
  for (let count = 0; count < 3; count++) {
    txids.push(await market.pay(configs[0]!, BASE - 1 - count))
    market.mine()
    await market.payment(shop, txids.at(-1)!, 'skipped')
  }
  const hashes = async (query = '') => {
    const { items } = (await market.agent(shop, 'GET', `/payments${query}`)).body
    return items.map(({ tx_hash }: { tx_hash: string }) => tx_hash)
  }
  expect(await hashes()).toEqual(txids.toReversed())
  expect(await hashes('?page=2&page_size=2')).toEqual([txids[0]])

  const covered = [4, 5].map((at) => market.receivers[at]!)
  for (const address of covered) {
    const asked = { key: shop.api_key, body: { address } }
    const made = await market.call('POST', '/v1/autoenergy/subscriptions', asked)
    expect(made.status).toBe(201)
  }
  const { body } = await market.get(shop, '/autoenergy/subscriptions')
  expect(body.map(({ address }: { address: string }) => address)).toEqual(covered.toReversed())
})

test('a sale counts from the moment its order is placed', async () => {
  const account = await market.fundedAccount('200')
  const config = await market.newConfig(account)
  const txid = await market.pay(config, BASE)
  market.mine()
  await market.payment(account, txid, 'delivering')
  const sums = { sales: 1, energy: 65_000, revenue_sun: BASE, cost_sun: COST_65K }
  expect((await market.agent(account, 'GET', '/summary')).body.totals).toEqual(sums)
  const [listed] = (await market.agent(account, 'GET', '/configs')).body.items
  expect(listed.stats).toEqual({ ...sums, last_sale_at: expect.any(String) })
  expect(listed.title).toBe('')
})

test('what is wrong in shape is said first, also while the program is off', async () => {
  await market.settings({ agent_enabled: false })
  const wrong = { mode: 'both', ...offer, max_units: '3' }
  const made = await market.agent(shop, 'POST', '/configs', wrong)
  const patched = await market.agent(shop, 'PATCH', '/configs/nothing', { max_units: '3' })
  await market.settings({ agent_enabled: true })
  for (const { status, body } of [made, patched]) {
    expect([status, Array.isArray(body.detail)]).toEqual([422, true])
  }
})

test('no address that the service holds can be sold from', async () => {
  for (const address of [SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS, shop.deposit_address]) {
    const { status, body } = await market.agent(shop, 'POST', '/configs', {
      mode: 'own',
      address,
      ...offer,
    })
    expect([address, status, body.detail]).toEqual([address, 422, { error: 'address_reserved' }])
  }
})

test('every credit on a balance is told, whatever it is called', async () => {
  const account = await market.newAccount()
  const kinds = ['deposit', 'refund', 'agent_revenue', 'adjustment'] as const
  await market.db.transaction((tx) =>
    market.rooms.ledger.post(
      tx,
      kinds.map((kind) => ({
        client: account.account_id,
        kind,
        reference: `${kind} ${account.account_id}`,
        amount: sun(1n),
        counter: 'equity:operator',
        description: 'a credit',
        trace: 'test',
      })),
    ),
  )
  const told = await market.events(account, 'balance.credited')
  expect(told.map(({ entry_type }) => entry_type).toSorted()).toEqual([...kinds].toSorted())
})

test('the address of a pay page cannot receive Energy from itself', async () => {
  const config = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const check = async (address: string) =>
    (await market.call('GET', `/v1/pay/${config.public_id}/check?address=${address}`)).body
  expect(await check(config.address)).toEqual({
    can_receive: false,
    message: expect.stringMatching(/\S/),
  })
  const customer = toBase58(market.devnet.chain.network.funded[5]!.address)
  expect(await check(customer)).toEqual({ can_receive: true, message: expect.any(String) })
})
