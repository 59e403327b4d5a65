// Proves: agent, addresses.
import { toBase58 } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { SANDBOX_USDT_CONTRACT } from '../../service/app/sandboxNetwork.ts'
import {
  type AgentConfig,
  type AgentMarket,
  BASE,
  offer,
  openAgentMarket,
} from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { until } from '../testing/until.ts'

// Where customers pay: a dedicated address is never named by the client, an own one is never a contract.

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  shop = await market.fundedAccount('500')
})
afterEach(() => market.devnet.faults.set({}))
afterAll(() => market?.close())

const create = (body: Record<string, unknown>) =>
  market.agent(shop, 'POST', '/configs', { ...offer, ...body })
const splitter = () => toBase58(market.devnet.chain.network.splitter)

test.each([['a wallet'], [''], [null], [7]])(
  'address %j with mode generated is 422, and nothing is made',
  async (given) => {
    const before = (await market.agent(shop, 'GET', '/configs')).text
    const address = given === 'a wallet' ? market.freshWallet() : given
    const { status, body } = await create({ mode: 'generated', address })
    expect(status).toBe(422)
    expect(body.detail).toContainEqual({
      loc: ['body', 'address'],
      msg: 'Must be left out here',
      type: 'value_error',
    })
    expect((await market.agent(shop, 'GET', '/configs')).text).toBe(before)
  },
)

/** TRX reaches a contract only by a contract: a plain transfer to one is refused by the network. */
async function payContract(address: string, amount: number): Promise<string> {
  const [first] = market.devnet.chain.network.funded
  const tronWeb = new TronWeb({ fullHost: market.devnet.url, privateKey: first!.privateKey })
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    splitter(),
    'pay(address)',
    { callValue: amount, feeLimit: 100_000_000 },
    [{ type: 'address', value: address }],
  )
  await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
  return transaction.txID
}

/** A configuration made while the node did not answer. */
async function madeBlind(address: string): Promise<AgentConfig> {
  market.devnet.faults.set({ http_status: 500 })
  const made = await create({ mode: 'own', address })
  market.devnet.faults.set({})
  expect([made.status, made.body.status]).toEqual([201, 'active'])
  return made.body
}

const isAvailable = async ({ public_id }: AgentConfig) =>
  (await market.call('GET', `/v1/pay/${public_id}`)).body.available

test('the node does not answer: a wallet is accepted, and sold from', async () => {
  const config = await madeBlind(market.freshWallet())
  expect(await isAvailable(config)).toBe(true)
  const txid = await market.pay(config, BASE, 1)
  market.mine()
  await market.payment(shop, txid, 'delivering')
})

test('the node does not answer: a contract is found out before the first sale, and paused by support', async () => {
  const config = await madeBlind(SANDBOX_USDT_CONTRACT)
  const bystander = await market.newConfig(shop)
  expect(await isAvailable(config)).toBe(false)
  const txid = await payContract(config.address, BASE)
  market.mine()
  const payment = await market.payment(shop, txid, 'skipped')
  const skipped = { skip_reason: 'address_is_contract', units: 0, energy: 0, cost_sun: null }
  expect(payment).toMatchObject({ ...skipped, order_id: null })
  const event = (await market.events(shop, 'agent.payment_skipped')).at(-1)
  expect(event).toMatchObject({ tx_hash: txid, reason: 'address_is_contract', paused: false })
  const items: AgentConfig[] = (await market.agent(shop, 'GET', '/configs')).body.items
  const [found, other] = [config, bystander].map(({ id }) => items.find((item) => item.id === id))
  expect(found).toMatchObject({ status: 'paused', pause_reason: 'admin' })
  expect(other).toMatchObject({ status: 'active' })
  const resumed = await market.agent(shop, 'POST', `/configs/${config.id}/resume`)
  expect([resumed.status, resumed.body.detail.error]).toEqual([409, 'admin_paused'])
})

test('the node does not answer at the sale either: the payment waits until it does', async () => {
  const config = await madeBlind(market.freshWallet())
  // The payer is known to be able to receive, so only the address is in question.
  const payer = market.devnet.chain.network.funded[2]!.address
  expect(await market.rooms.chain.receivers.stateOf(payer)).toBe('able')
  const decide = market.rooms.agent.loops.find(({ name }) => name === 'agent.decide')!
  await decide.stop()
  const txid = await market.pay(config, BASE, 2)
  market.mine()
  await market.payment(shop, txid, 'processing')
  market.devnet.faults.set({ http_status: 500 })
  await decide.runOnce()
  expect((await market.payment(shop, txid)).status).toBe('processing')
  market.devnet.faults.set({})
  decide.start()
  await until('sold', async () => (await market.payment(shop, txid)).status === 'delivering')
})

// The last: what an address is, the service keeps, and the tests above begin without knowing it.
test('a contract is address_invalid as an own address, USDT’s too, before any other refusal', async () => {
  for (const address of [SANDBOX_USDT_CONTRACT, splitter()]) {
    const { status, body } = await create({ mode: 'own', address, max_units: 0 })
    expect([status, body.detail]).toEqual([422, { error: 'address_invalid' }])
  }
})
