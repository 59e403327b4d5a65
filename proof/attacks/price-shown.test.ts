// Proves: agent, pricing.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AgentConfig, type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// A client shows a low price, waits until a customer has sent TRX, and raises the price before the
// transfer is mined: the customer would get less, or nothing. The price shown has to apply.

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  await market.settings({ max_configs: 1_000 })
  shop = await market.fundedAccount('900')
})
afterEach(() => market.settings({ schedule: flatSchedule(30) }))
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})

const change = async (config: AgentConfig, body: Record<string, unknown>) => {
  const answer = await market.agent(shop, 'PATCH', `/configs/${config.id}`, body)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
}

/** Mines the payment and waits until it is sold or skipped. */
async function mined(txid: string) {
  market.mine()
  return until('decided', async () => {
    const now = await market.payment(shop, txid)
    return now.status !== 'processing' && now
  })
}

/** The customer reads the page and pays; the client changes it; then the transfer is mined. */
async function paidBeforeChange(amountSun: number, body: Record<string, unknown>) {
  const config = await market.newConfig(shop)
  const txid = await market.pay(config, amountSun)
  await change(config, body)
  return mined(txid)
}

const sold = (units: number, energy: number) => ({ units, energy, skip_reason: null })

describe('changed after the customer has sent, before the transfer is mined', () => {
  test('a dearer base payment: the customer gets what the page said', async () => {
    const payment = await paidBeforeChange(BASE, { base_payment_sun: 2 * BASE })
    expect(payment).toMatchObject(sold(1, 65_000))
    // The client is charged for what was delivered, and sees which price applied.
    expect(payment).toMatchObject({ cost_sun: 65_000 * 30, base_payment_sun: BASE })
  })

  test('less Energy for a unit: the customer gets what the page said', async () => {
    const payment = await paidBeforeChange(BASE, { energy_per_unit: 32_000 })
    expect(payment).toMatchObject({ ...sold(1, 65_000), energy_per_unit: 65_000 })
  })

  test('fewer units at most: the customer gets what the page said', async () => {
    const payment = await paidBeforeChange(3 * BASE, { max_units: 1 })
    expect(payment).toMatchObject(sold(3, 195_000))
  })

  test('one whole version counts, never the best of two', async () => {
    const other = { base_payment_sun: 2 * BASE, energy_per_unit: 200_000, max_units: 1 }
    expect(await paidBeforeChange(BASE, other)).toMatchObject(sold(1, 65_000))
    expect(await paidBeforeChange(2 * BASE, other)).toMatchObject(sold(1, 200_000))
  })

  test('what is better for the customer now counts at once', async () => {
    const payment = await paidBeforeChange(BASE, { energy_per_unit: 90_000 })
    expect(payment).toMatchObject(sold(1, 90_000))
  })

  test('a version that cannot be sold any more is not better', async () => {
    const config = await market.newConfig(shop)
    // One unit now costs 3.9 TRX, so the client asks for 6.
    await market.settings({ schedule: flatSchedule(60) })
    await change(config, { base_payment_sun: 2 * BASE })
    const payment = await mined(await market.pay(config, 2 * BASE))
    expect(payment).toMatchObject({ ...sold(1, 65_000), base_payment_sun: 2 * BASE })
  })

  test('several changes within the time: the best of the whole versions', async () => {
    const config = await market.newConfig(shop)
    const txid = await market.pay(config, 2 * BASE)
    for (const max_units of [1, 2, 1]) await change(config, { max_units })
    await change(config, { base_payment_sun: 3 * BASE })
    expect(await mined(txid)).toMatchObject(sold(2, 130_000))
  })
})

test('a version that ended more than 90 seconds before does not count', async () => {
  const config = await market.newConfig(shop)
  await change(config, { base_payment_sun: 2 * BASE })
  await market.advance(91)
  const payment = await mined(await market.pay(config, BASE))
  expect(payment).toMatchObject({ status: 'skipped', skip_reason: 'below_base', units: 0 })
})

test('a version that ended less than 90 seconds before counts', async () => {
  const config = await market.newConfig(shop)
  await change(config, { base_payment_sun: 2 * BASE })
  await market.advance(60)
  expect(await mined(await market.pay(config, BASE))).toMatchObject(sold(1, 65_000))
})

test('a version made after the block does not count', async () => {
  const deciding = market.rooms.agent.loops.find(({ name }) => name === 'agent.decide')!
  const config = await market.newConfig(shop, { base_payment_sun: 2 * BASE })
  await deciding.stop()
  const txid = await market.pay(config, BASE)
  market.mine()
  await market.payment(shop, txid, 'processing')
  await change(config, { base_payment_sun: BASE })
  deciding.start()
  expect(await mined(txid)).toMatchObject({ status: 'skipped', skip_reason: 'below_base' })
})

test('the status is that of the block, whatever the page said before', async () => {
  const config = await market.newConfig(shop)
  const txid = await market.pay(config, BASE)
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  expect(await mined(txid)).toMatchObject({ status: 'skipped', skip_reason: 'paused' })
})
