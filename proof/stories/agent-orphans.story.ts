// Proves: agent, chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, BASE, COST_65K, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A reorganisation removes a customer's transfer, before the decision or after the sale.

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket()
})
afterAll(() => market?.close())

const deciding = () => market.rooms.agent.loops.find(({ name }) => name === 'agent.decide')!
const entriesOf = async (account: TestAccount) =>
  (await market.get(account, '/transactions')).body.transactions.map(
    (entry: { entry_type: string; amount_sun: number }) => [entry.entry_type, entry.amount_sun],
  )
const generated = { mode: 'generated', address: undefined }

/** A payment in the newest block, on a chain whose older blocks are solid. */
async function paid(account: TestAccount, body: Record<string, unknown>, decided: boolean) {
  const config = await market.newConfig(account, body)
  market.mine(SOLID_LAG + 1)
  if (!decided) await deciding().stop()
  const txid = await market.pay(config, BASE)
  market.mine()
  await market.payment(account, txid, decided ? 'delivering' : 'processing')
  return { config, txid }
}

/** Moves time past its expiration, so that the transfer cannot return. */
const bury = () => market.advance(120)

test('before the sale, back in the new branch: sold once', async () => {
  const shop = await market.fundedAccount('200')
  const { txid } = await paid(shop, generated, false)
  market.devnet.chain.reorg(1)
  await market.scanned()
  deciding().start()
  await market.payment(shop, txid, 'delivering')
  await until('completed', async () => {
    await market.mineWhenRead()
    return (await market.payment(shop, txid)).status === 'completed'
  })
  expect(await entriesOf(shop)).toEqual([
    ['agent_charge', -COST_65K],
    ['agent_revenue', BASE],
    ['deposit', 200_000_000],
  ])
})

test('before the sale, gone for good: never sold, the revenue is taken back', async () => {
  const shop = await market.fundedAccount('200')
  const { txid } = await paid(shop, generated, false)
  market.devnet.chain.reorg(1, new Set([txid]))
  await market.scanned()
  deciding().start()
  expect((await market.rooms.ledger.balanceOf(shop.account_id)).spendable).toBe(200_000_000n)
  await bury()
  expect(await market.payment(shop, txid, 'skipped')).toMatchObject({
    skip_reason: 'orphaned',
    orphaned: true,
    order_id: null,
  })
  await until('reversed', async () => (await entriesOf(shop))[0][0] === 'agent_revenue_reversal')
  expect(await entriesOf(shop)).toEqual([
    ['agent_revenue_reversal', -BASE],
    ['agent_revenue', BASE],
    ['deposit', 200_000_000],
  ])
  const [reversal] = (await market.get(shop, '/transactions')).body.transactions
  expect(reversal.description).toBe(
    'Payment of a customer reversed: its transfer is no longer on the chain',
  )
})

test('after the sale, gone for good: the order goes on, the charge comes back once from goodwill', async () => {
  const shop = await market.fundedAccount('200')
  const { txid } = await paid(shop, generated, true)
  market.devnet.chain.reorg(1, new Set([txid]))
  await until('completed', async () => {
    await market.mineWhenRead()
    return (await market.payment(shop, txid)).status === 'completed'
  })
  expect((await market.payment(shop, txid)).orphaned).toBe(false)
  await bury()
  await until('given back', async () =>
    (await entriesOf(shop)).some(([kind]: [string]) => kind === 'adjustment'),
  )
  const payment = await market.payment(shop, txid)
  expect(payment).toMatchObject({ status: 'completed', orphaned: true, cost_sun: COST_65K })
  const { totals } = (await market.agent(shop, 'GET', '/summary')).body
  expect(totals).toEqual({ sales: 0, energy: 0, revenue_sun: 0, cost_sun: 0 })
  await until('reversed', async () => (await entriesOf(shop)).length === 5)
  expect((await entriesOf(shop)).toSorted()).toEqual([
    ['adjustment', COST_65K],
    ['agent_charge', -COST_65K],
    ['agent_revenue', BASE],
    ['agent_revenue_reversal', -BASE],
    ['deposit', 200_000_000],
  ])
  const [goodwill] = await market.database.sql(
    `select debit, credit, amount_sun::int as amount from ledger.movement where kind = 'adjustment' and reference_id = $1`,
    [payment.id],
  )
  expect(goodwill).toEqual({ debit: 'cost:goodwill', credit: 'client', amount: COST_65K })
  await market.advance(60)
  expect(await entriesOf(shop)).toHaveLength(5)
})

test('after the sale, gone for good, and the order fails: the refund is all that comes back', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  market.mine(SOLID_LAG + 1)
  await deciding().stop()
  const txid = await market.pay(config, BASE)
  market.mine()
  await market.payment(shop, txid, 'processing')
  const call = { body: { behaviour: 'fail' } }
  await market.call('POST', '/sandbox/providers/own_stake', call)
  deciding().start()
  await market.payment(shop, txid, 'delivering')
  market.devnet.chain.reorg(1, new Set([txid]))
  await market.scanned()
  await market.advance(125)
  await until('failed and orphaned', async () => {
    const { status, orphaned } = await market.payment(shop, txid)
    return status === 'failed' && orphaned === true
  })
  await market.provider({ behaviour: 'ok' })
  await market.advance(60)
  expect(await entriesOf(shop)).toEqual([
    ['refund', COST_65K],
    ['agent_charge', -COST_65K],
    ['deposit', 200_000_000],
  ])
})

test('after the sale, back in the new branch: nothing changes', async () => {
  const shop = await market.fundedAccount('200')
  const { txid } = await paid(shop, {}, true)
  market.devnet.chain.reorg(1)
  await until('completed', async () => {
    await market.mineWhenRead()
    return (await market.payment(shop, txid)).status === 'completed'
  })
  await bury()
  expect(await market.payment(shop, txid)).toMatchObject({ orphaned: false })
  expect(await entriesOf(shop)).toHaveLength(2)
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})
