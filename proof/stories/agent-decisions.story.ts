// Proves: agent.
import { toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AgentMarket, BASE, COST_65K, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { approveBoth } from '../testing/approvals.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// Every reason to skip a payment, every final state, and which version of a configuration applies.

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  await market.settings({ max_configs: 1_000 })
  shop = await market.fundedAccount('900')
})
afterEach(async () => {
  await market.settings({ schedule: flatSchedule(30), purchases_enabled: true })
  await market.provider({ behaviour: 'ok' })
})
afterAll(() => market?.close())

const deciding = () => market.rooms.agent.loops.find(({ name }) => name === 'agent.decide')!
type Payment = { status: string; energy: number; cost_sun: number | null }
const skip = { units: 0, energy: 0, cost_sun: null, order_id: null, status: 'skipped' }

/** Mines until the payment has the status; the delegation needs further blocks. */
const settled = (txid: string, status: string) =>
  until(`payment ${status}`, async () => {
    await market.mineWhenRead()
    const { body } = await market.agent(shop, 'GET', '/payments?page_size=100')
    return body.items.find(
      (p: { tx_hash: string; status: string }) => p.tx_hash === txid && p.status === status,
    )
  })

/** Pays, mines, and runs `meanwhile` between the block and the decision. */
async function payWithPause(
  config: { address: string },
  amount: number,
  meanwhile: () => Promise<unknown>,
) {
  await deciding().stop()
  const txid = await market.pay(config as never, amount)
  market.mine()
  await market.payment(shop, txid, 'processing')
  await meanwhile()
  deciding().start()
  return txid
}

describe('what is skipped', () => {
  test('below_base: one SUN short', async () => {
    const config = await market.newConfig(shop)
    const txid = await market.pay(config, BASE - 1)
    expect(await settled(txid, 'skipped')).toMatchObject({ ...skip, skip_reason: 'below_base' })
    const event = (await market.events(shop, 'agent.payment_skipped')).find(
      ({ tx_hash }) => tx_hash === txid,
    )
    expect(event).toMatchObject({ reason: 'below_base', paused: false, amount_sun: BASE - 1 })
  })

  test('dust by the hundred: no payment, no event, and who pays in the same block is served', async () => {
    const config = await market.newConfig(shop)
    const before = (await market.events(shop, 'agent.payment_skipped')).length
    await Promise.all(Array.from({ length: 150 }, () => market.pay(config, 9_999)))
    const txid = await market.pay(config, BASE)
    await settled(txid, 'completed')
    const { body } = await market.agent(shop, 'GET', `/payments?config_id=${config.id}`)
    expect(body.items.map(({ tx_hash }: { tx_hash: string }) => tx_hash)).toEqual([txid])
    expect(await market.events(shop, 'agent.payment_skipped')).toHaveLength(before)
    const counted = await market.database.sql<{ dust: number }>(
      `select count(*)::int as dust from agent.dust where config_id = $1`,
      [config.id],
    )
    expect(counted).toEqual([{ dust: 150 }])
  })

  test('paused, whoever paused it', async () => {
    const config = await market.newConfig(shop)
    await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
    const txid = await market.pay(config, BASE)
    expect(await settled(txid, 'skipped')).toMatchObject({ ...skip, skip_reason: 'paused' })
  })

  test('price_above_base: the client does not pay more than the customer did', async () => {
    const config = await market.newConfig(shop)
    await market.settings({ schedule: flatSchedule(60) })
    expect((await market.call('GET', `/v1/pay/${config.public_id}`)).body.available).toBe(false)
    const txid = await market.pay(config, BASE)
    const payment = await settled(txid, 'skipped')
    expect(payment).toMatchObject({ ...skip, skip_reason: 'price_above_base' })
    const [risk] = await until('listed as at risk', async () => {
      const events = await market.events(shop, 'agent.config_at_risk')
      const own = events.filter(({ config_id }) => config_id === config.id)
      return own.length > 0 && own
    })
    expect(risk).toEqual({
      config_id: config.id,
      public_id: config.public_id,
      title: '',
      energy_per_unit: 65_000,
      base_payment_sun: BASE,
      cost_max_sun: 65_000 * 60,
    })
  })

  test('payer_is_own_address: what the treasury pays is no sale', async () => {
    const config = await market.newConfig(shop)
    const { payouts } = market.rooms.deposits
    const wish = { account: shop.account_id, to: config.address, amount: 3_000_000n as never }
    const asked = await payouts.request({ ...wish, reason: 'their revenue', by: 'ann' })
    if ('refused' in asked) throw new Error(asked.refused)
    await market.advance(0)
    expect(await approveBoth(payouts, asked.id, ['ann', 'bob'])).toEqual({ id: asked.id })
    const payment = await until('the payment', async () => {
      await market.mineWhenRead()
      const { body } = await market.agent(shop, 'GET', `/payments?config_id=${config.id}`)
      return body.items[0]?.status === 'skipped' && body.items[0]
    })
    expect(payment).toMatchObject({ ...skip, skip_reason: 'payer_is_own_address' })
  })

  test('service_unavailable: waits ten minutes for the service, and not longer', async () => {
    const config = await market.newConfig(shop)
    await market.settings({ purchases_enabled: false })
    const lost = await market.pay(config, BASE)
    market.mine()
    await market.payment(shop, lost, 'processing')
    await market.advance(590)
    expect(await market.payment(shop, lost)).toMatchObject({ status: 'processing' })
    await market.advance(11)
    expect(await settled(lost, 'skipped')).toMatchObject({ skip_reason: 'service_unavailable' })
    const lucky = await market.pay(config, BASE)
    market.mine()
    await market.payment(shop, lucky, 'processing')
    await market.settings({ purchases_enabled: true })
    expect(await settled(lucky, 'completed')).toMatchObject({ units: 1 })
  })

  test('less than 0.01 TRX is recorded and is no payment', async () => {
    const config = await market.newConfig(shop)
    await market.pay(config, 9_999)
    const txid = await market.pay(config, 10_000)
    expect(await settled(txid, 'skipped')).toMatchObject({ skip_reason: 'below_base' })
    const { body } = await market.agent(shop, 'GET', `/payments?config_id=${config.id}`)
    expect(body.items).toHaveLength(1)
    const dust = await market.database.sql(
      'select amount_sun::int as amount from agent.dust where config_id = $1',
      [config.id],
    )
    expect(dust).toEqual([{ amount: 9_999 }])
  })
})

describe('what is sold', () => {
  test.each([
    [BASE, 1],
    [2 * BASE - 1, 1],
    [3 * BASE, 3],
    [10 * BASE, 3],
  ])('%i SUN are %i units', async (amount, units) => {
    const config = await market.newConfig(shop)
    const payment = await settled(await market.pay(config, amount), 'completed')
    expect(payment).toMatchObject({ units, energy: units * 65_000, cost_sun: units * COST_65K })
  })

  test('failed: the charge comes back, the payment has no Energy and leaves the totals', async () => {
    const other = await market.fundedAccount('200')
    const config = await market.newConfig(other)
    await deciding().stop()
    const txid = await market.pay(config, BASE)
    market.mine()
    await market.payment(other, txid, 'processing')
    await market.provider({ behaviour: 'fail' })
    deciding().start()
    await market.payment(other, txid, 'delivering')
    await market.advance(125)
    const payment = await market.payment(other, txid, 'failed')
    expect(payment).toMatchObject({ units: 1, energy: 0, cost_sun: 0, skip_reason: null })
    const { totals, balance_sun } = (await market.agent(other, 'GET', '/summary')).body
    expect(totals).toEqual({ sales: 0, energy: 0, revenue_sun: 0, cost_sun: 0 })
    expect(balance_sun).toBe(200_000_000)
    const kinds = (await market.get(other, '/transactions')).body.transactions.map(
      (entry: { entry_type: string }) => entry.entry_type,
    )
    expect(kinds).toEqual(['refund', 'agent_charge', 'deposit'])
    // A sale beside the failed one: cost and Energy in the list add up to the totals.
    await market.provider({ behaviour: 'ok' })
    await market.pay(config, 2 * BASE)
    await market.pay(config, BASE - 1)
    const items: Payment[] = await until('all are decided', async () => {
      await market.mineWhenRead()
      const { body } = await market.agent(other, 'GET', '/payments')
      const ended = (p: Payment) => ['completed', 'failed', 'skipped'].includes(p.status)
      return body.items.length === 3 && body.items.every(ended) && body.items
    })
    const sumOf = (field: 'energy' | 'cost_sun') =>
      items.reduce((sum, item) => sum + (item[field] ?? 0), 0)
    const cost = { energy: sumOf('energy'), cost_sun: sumOf('cost_sun') }
    expect(cost).toEqual({ energy: 130_000, cost_sun: 2 * COST_65K })
    const sums = { sales: 1, revenue_sun: 2 * BASE, ...cost }
    expect((await market.agent(other, 'GET', '/summary')).body.totals).toEqual(sums)
    const [listed] = (await market.agent(other, 'GET', '/configs')).body.items
    expect(listed.stats).toMatchObject(sums)
  })
})

describe('the configuration of the moment of the block counts', () => {
  test('paused after the block: sold', async () => {
    const config = await market.newConfig(shop)
    const pause = () => market.agent(shop, 'POST', `/configs/${config.id}/pause`)
    const txid = await payWithPause(config, BASE, pause)
    expect(await settled(txid, 'completed')).toMatchObject({ units: 1 })
  })

  test('resumed after the block: skipped', async () => {
    const config = await market.newConfig(shop)
    await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
    const resume = () => market.agent(shop, 'POST', `/configs/${config.id}/resume`)
    const txid = await payWithPause(config, BASE, resume)
    expect(await settled(txid, 'skipped')).toMatchObject({ skip_reason: 'paused' })
  })

  test('deleted after the block: sold; paid after that: no payment', async () => {
    const config = await market.newConfig(shop)
    const remove = () => market.agent(shop, 'DELETE', `/configs/${config.id}`)
    const txid = await payWithPause(config, BASE, remove)
    await settled(txid, 'completed')
    await market.pay(config, BASE)
    market.mine()
    await market.advance(0)
    const { body } = await market.agent(shop, 'GET', `/payments?config_id=${config.id}`)
    expect(body.items).toHaveLength(1)
  })

  test('a dearer base payment after the block changes nothing for it', async () => {
    const config = await market.newConfig(shop)
    const dearer = { base_payment_sun: 2 * BASE, energy_per_unit: 130_000 }
    const change = () => market.agent(shop, 'PATCH', `/configs/${config.id}`, dearer)
    const txid = await payWithPause(config, 2 * BASE, change)
    expect(await settled(txid, 'completed')).toMatchObject({ units: 2, energy: 130_000 })
  })

  test('paid before the configuration was made: no payment', async () => {
    const address = market.freshWallet()
    await market.pay({ address } as never, BASE)
    market.mine()
    const config = await market.newConfig(shop, { address })
    const txid = await market.pay(config, BASE)
    await settled(txid, 'completed')
    const { body } = await market.agent(shop, 'GET', `/payments?config_id=${config.id}`)
    expect(body.items.map((p: { tx_hash: string }) => p.tx_hash)).toEqual([txid])
  })
})

test('tokens sent to the wallet of a client are not recorded', async () => {
  const config = await market.newConfig(shop)
  const from = toBase58(market.devnet.chain.network.funded[0]!.address)
  const body = { from, to: config.address, amount: 5_000_000 }
  await market.call('POST', '/sandbox/chain/usdt', { body })
  market.mine()
  await settled(await market.pay(config, BASE), 'completed')
  expect(await market.database.sql('select from deposits.token')).toEqual([])
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
})
