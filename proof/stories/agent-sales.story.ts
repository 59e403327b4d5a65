// Proves: agent, orders.
import { toBase58 } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, BASE, COST_65K, openAgentMarket } from '../testing/agent.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// A client resells Energy: customers pay TRX, the payer gets the Energy, the client keeps the
// difference.

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket()
})
afterAll(() => market?.close())

/** Mines until the payment has the status; the delegation needs further blocks. */
const settled = (account: { api_key: string }, txid: string, status: string) =>
  until(`payment ${status}`, async () => {
    await market.mineWhenRead()
    const { body } = await market.get(account as never, '/agent/payments')
    return body.items.find(
      (p: { tx_hash: string; status: string }) => p.tx_hash === txid && p.status === status,
    )
  })

test('a customer with TronWeb pays 2.5 base payments and gets 2 units; the profit adds up', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop, { title: 'Corner shop' })
  const customer = market.devnet.chain.network.funded[2]!
  const payer = toBase58(customer.address)
  const tronWeb = new TronWeb({ fullHost: market.devnet.url, privateKey: customer.privateKey })
  const before = await tronWeb.trx.getAccountResources(payer)

  const amount = (BASE * 5) / 2
  const sent = await tronWeb.trx.sendTransaction(config.address, amount)
  const payment = await settled(shop, sent.txid, 'completed')

  expect(payment).toMatchObject({
    config_id: config.id,
    payer,
    amount_sun: amount,
    units: 2,
    energy: 130_000,
    cost_sun: 2 * COST_65K,
    skip_reason: null,
    orphaned: false,
  })
  const after = await tronWeb.trx.getAccountResources(payer)
  const gained = (after.EnergyLimit ?? 0) - (before.EnergyLimit ?? 0)
  expect(gained).toBeGreaterThanOrEqual(130_000)

  const order = (await market.get(shop, `/order/${payment.order_id}`)).body
  expect(order).toMatchObject({
    status: 'COMPLETED',
    source: 'agent',
    receiver_address: payer,
    buyer_address: payer,
    resource_amount: 130_000,
  })
  expect(await market.events(shop, 'agent.sale')).toEqual([
    {
      config_id: config.id,
      public_id: config.public_id,
      title: 'Corner shop',
      payer,
      amount_sun: amount,
      units: 2,
      energy: 130_000,
      cost_sun: 2 * COST_65K,
      order_id: payment.order_id,
      tx_hash: sent.txid,
    },
  ])
  const sums = { sales: 1, energy: 130_000, revenue_sun: amount, cost_sun: 2 * COST_65K }
  const { totals, balance_sun } = (await market.agent(shop, 'GET', '/summary')).body
  expect(totals).toEqual(sums)
  expect(balance_sun).toBe(200_000_000 - 2 * COST_65K)
  const [listed] = (await market.agent(shop, 'GET', '/configs')).body.items
  expect(listed.stats).toMatchObject(sums)
  expect(listed.stats.last_sale_at).not.toBeNull()
  const [entry] = (await market.get(shop, '/transactions')).body.transactions
  expect(entry).toMatchObject({ entry_type: 'agent_charge', amount_sun: -2 * COST_65K })
})

test('on a dedicated address the payment is credited first, swept later, and pays for the sale', async () => {
  await market.settings({ min_balance_sun: 0 })
  const shop = await market.newAccount()
  const config = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const txid = await market.pay(config, BASE)
  const payment = await settled(shop, txid, 'completed')
  expect(payment).toMatchObject({ units: 1, cost_sun: COST_65K })
  const kinds = (await market.get(shop, '/transactions')).body.transactions.map(
    (entry: { entry_type: string; amount_sun: number }) => [entry.entry_type, entry.amount_sun],
  )
  expect(kinds).toEqual([
    ['agent_charge', -COST_65K],
    ['agent_revenue', BASE],
  ])
  expect((await market.get(shop, '/deposits')).body.deposits).toEqual([])
  await until('verified', async () => {
    await market.mineWhenRead()
    const [row] = await market.database.sql(
      'select amount_sun from deposits.holding where address = $1',
      [config.address],
    )
    return row !== undefined
  })
  await market.settings({ min_balance_sun: 100_000_000 })
})

test('revenue beyond the limit of unverified credit is credited when its block is solid', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const txid = await market.pay(config, 10_000_000_001)
  // The sale is checked against the spendable balance, which is the deposit alone.
  market.mine()
  expect(await market.payment(shop, txid)).toMatchObject({ amount_sun: 10_000_000_001 })
  const revenue = async () =>
    (await market.get(shop, '/transactions')).body.transactions.filter(
      (entry: { entry_type: string }) => entry.entry_type === 'agent_revenue',
    )
  expect(await revenue()).toEqual([])
  await settled(shop, txid, 'completed')
  await until('credited', async () => {
    await market.mineWhenRead()
    return (await revenue()).length === 1
  })
})

test('a payment through a contract is seen, credited, and not sold: a contract takes no Energy', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const [first] = market.devnet.chain.network.funded
  const tronWeb = new TronWeb({ fullHost: market.devnet.url, privateKey: first!.privateKey })
  const splitter = toBase58(market.devnet.chain.network.splitter)
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    splitter,
    'pay(address)',
    { callValue: BASE, feeLimit: 100_000_000 },
    [{ type: 'address', value: config.address }],
  )
  const signed = await tronWeb.trx.sign(transaction)
  await tronWeb.trx.sendRawTransaction(signed)
  const payment = await settled(shop, transaction.txID, 'skipped')
  expect(payment).toMatchObject({ skip_reason: 'payer_is_contract', payer: splitter })
  const [entry] = (await market.get(shop, '/transactions')).body.transactions
  expect(entry).toMatchObject({ entry_type: 'agent_revenue', amount_sun: BASE })
})

test('two payments that together exceed the balance: one is sold, one is skipped, all pause', async () => {
  const shop = await market.fundedAccount('101')
  const dear = { energy_per_unit: 2_000_000, base_payment_sun: 60_000_000, max_units: 1 }
  const one = await market.newConfig(shop, dear)
  const other = await market.newConfig(shop, dear)
  const bystander = await market.newConfig(shop)
  const stranger = await market.fundedAccount('200')
  const apart = await market.newConfig(stranger)
  const txids = [await market.pay(one, 60_000_000, 3), await market.pay(other, 60_000_000, 4)]
  const states = await until('both decided', async () => {
    await market.mineWhenRead()
    const { body } = await market.agent(shop, 'GET', '/payments')
    const done = body.items.filter((p: { status: string }) => p.status !== 'processing')
    return done.length === 2 && body.items
  })
  const skipped = states.filter((p: { status: string }) => p.status === 'skipped')
  expect(skipped).toMatchObject([
    { skip_reason: 'insufficient_balance', units: 0, energy: 0, cost_sun: null, order_id: null },
  ])
  const sold = states.find((p: { status: string }) => p.status !== 'skipped')
  expect(sold.cost_sun).toBe(60_000_000)
  expect(txids).toContain(sold.tx_hash)
  const configs = (await market.agent(shop, 'GET', '/configs')).body.items
  expect(configs).toHaveLength(3)
  for (const config of configs) {
    expect(config).toMatchObject({ status: 'paused', pause_reason: 'insufficient_balance' })
  }
  expect(await market.events(shop, 'agent.payment_skipped')).toEqual([
    {
      config_id: skipped[0].config_id,
      public_id: [one, other].find(({ id }) => id === skipped[0].config_id)!.public_id,
      title: '',
      payer: skipped[0].payer,
      amount_sun: 60_000_000,
      reason: 'insufficient_balance',
      paused: true,
      tx_hash: skipped[0].tx_hash,
    },
  ])
  const [left] = (await market.agent(stranger, 'GET', '/configs')).body.items
  expect([left.id, left.status]).toEqual([apart.id, 'active'])
  // No automatic resume: a payment now is skipped, whatever the balance.
  const late = await market.pay(bystander, BASE)
  market.mine()
  expect(await market.payment(shop, late, 'skipped')).toMatchObject({ skip_reason: 'paused' })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})
