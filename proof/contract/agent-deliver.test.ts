// Proves: agent, orders.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type AgentConfig,
  type AgentMarket,
  BASE,
  COST_65K,
  openAgentMarket,
} from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { holdAccount } from '../testing/holdAccount.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket()
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})
beforeEach(() => market.settings({ schedule: flatSchedule(30), purchases_enabled: true }))

const NOT_DELIVERABLE = [409, '{"detail":{"error":"not_deliverable"}}']
const deliver = (account: TestAccount, id: string) =>
  market.agent(account, 'POST', `/payments/${id}/deliver`)
const statusOf = async (account: TestAccount, id: string) => {
  const { items } = (await market.agent(account, 'GET', '/payments')).body
  return items.find((one: { id: string }) => one.id === id).status
}
const orders = async (account: TestAccount) => (await market.get(account, '/orders')).body.total

/** Mines until the block of the payment is final. */
async function final(id: string) {
  market.mine(SOLID_LAG + 1)
  await until('it is final', async () => {
    const of = 'select final_at is not null as is from agent.payment where id = $1'
    const [row] = await market.database.sql<{ is: boolean }>(of, [id])
    if (!row!.is) market.mine()
    return row!.is
  })
}

/**
 * Pays in a block, and waits for the status. Only a delivery needs further blocks: with as many as there are looks a
 * skipped payment would be final on a slow machine.
 */
async function paid(account: TestAccount, config: AgentConfig, amount: number, status: string) {
  const txid = await market.pay(config, amount)
  market.mine()
  return until(`a payment ${status}`, async () => {
    if (status === 'completed') market.mine()
    const { items } = (await market.agent(account, 'GET', '/payments')).body
    const is = (one: Record<string, string>) => one.tx_hash === txid && one.status === status
    return items.find(is)?.id as string | undefined
  })
}

/** A payment of 2.5 base payments that was skipped because the configuration was paused. */
async function skipped(account: TestAccount, config: AgentConfig): Promise<string> {
  await market.agent(account, 'POST', `/configs/${config.id}/pause`)
  return paid(account, config, BASE * 2.5, 'skipped')
}

test('200: a payment skipped as paused is sold with the units of its transfer, at the cost of now', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  const id = await skipped(shop, config)
  // Not solid yet.
  const early = await deliver(shop, id)
  expect([early.status, early.text]).toEqual(NOT_DELIVERABLE)
  await final(id)
  await market.agent(shop, 'PATCH', `/configs/${config.id}`, { base_payment_sun: BASE * 2 })
  await market.settings({ schedule: flatSchedule(40) })
  const { status, body } = await deliver(shop, id)
  expect([status, body]).toMatchObject([
    200,
    { id, status: 'delivering', skip_reason: null, units: 2, energy: 130_000, cost_sun: 5_200_000 },
  ])
  expect(body).toMatchObject({ base_payment_sun: BASE, energy_per_unit: 65_000 })
  expect(await market.balanceSun(shop)).toBe(200_000_000n - 5_200_000n)
  await until('delivered', async () => {
    await market.mineWhenRead()
    return (await statusOf(shop, id)) === 'completed'
  })
  expect(await market.events(shop, 'agent.sale')).toHaveLength(1)
  const again = await deliver(shop, id)
  expect([again.status, again.text]).toEqual(NOT_DELIVERABLE)
})

test('a payment is delivered once, also when it is asked for many times at once', async () => {
  const shop = await market.fundedAccount('200')
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(shop, id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, text } of answers.filter((one) => one.status !== 200)) {
    expect([status, text]).toEqual(NOT_DELIVERABLE)
  }
  expect(await orders(shop)).toBe(1)
})

test('a process that dies within the sale sells nothing, and the next call sells once', async () => {
  const shop = await market.fundedAccount('200')
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  await holdAccount(market.database, shop.account_id, async (inFlight) => {
    const dying = deliver(shop, id)
    await inFlight()
    await market.database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and usename = 'ergon_app'`,
    )
    expect((await dying).status).toBeGreaterThanOrEqual(500)
  })
  expect([await statusOf(shop, id), await orders(shop)]).toEqual(['skipped', 0])
  expect((await deliver(shop, id)).status).toBe(200)
  expect((await deliver(shop, id)).status).toBe(409)
  expect(await orders(shop)).toBe(1)
})

test('503 service_unavailable: the account stays locked by another change', async () => {
  const shop = await market.fundedAccount('200')
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  await holdAccount(market.database, shop.account_id, async () => {
    const { status, body } = await deliver(shop, id)
    expect([status, body.detail]).toMatchObject([503, { error: 'service_unavailable' }])
    expect(body.detail.message).toContain('Another change of your balance')
  })
  expect(await statusOf(shop, id)).toBe('skipped')
  expect((await deliver(shop, id)).status).toBe(200)
})

test('price_above_base is sold where the client asks for it, though it costs more than was paid', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  await market.settings({ schedule: flatSchedule(60) })
  const id = await paid(shop, config, BASE, 'skipped')
  await final(id)
  expect((await deliver(shop, id)).body).toMatchObject({ units: 1, cost_sun: 2 * COST_65K })
})

test('400 insufficient_balance and 503 service_unavailable leave it skipped', async () => {
  const shop = await market.fundedAccount('100')
  const config = await market.newConfig(shop)
  const id = await skipped(shop, config)
  await final(id)
  await market.settings({ purchases_enabled: false })
  expect((await deliver(shop, id)).status).toBe(503)
  await market.settings({ purchases_enabled: true })
  expect((await market.buy(shop, { body: { resource_amount: 3_300_000 } })).status).toBe(200)
  const short = await deliver(shop, id)
  expect([short.status, short.body.detail]).toEqual([
    400,
    { error: 'insufficient_balance', current_balance: 1_000_000, required_amount: 2 * COST_65K },
  ])
  expect(await statusOf(shop, id)).toBe('skipped')
})

const change = (id: string, what: string) =>
  market.database.sql(`update agent.payment set ${what} where id = $1`, [id])

/** Skipped as paused; the reason is then written by hand. */
const SOLD_LATER = ['insufficient_balance', 'paused', 'price_above_base', 'service_unavailable']
const NEVER_SOLD = [
  ...['below_base', 'payer_is_own_address', 'payer_is_contract', 'address_is_contract'],
  ...['account_blocked', 'orphaned', 'a_reason_of_tomorrow'],
]

test('200 for each of the four reasons', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  const ids: string[] = []
  for (const _ of SOLD_LATER) ids.push(await skipped(shop, config))
  await final(ids.at(-1)!)
  for (const [place, reason] of SOLD_LATER.entries()) {
    await change(ids[place]!, `skip_reason = '${reason}'`)
    expect([reason, (await deliver(shop, ids[place]!)).status]).toEqual([reason, 200])
  }
})

test('409 not_deliverable for every other reason', async () => {
  const shop = await market.fundedAccount('200')
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  for (const reason of NEVER_SOLD) {
    await change(id, `skip_reason = '${reason}'`)
    const { status, text } = await deliver(shop, id)
    expect([reason, status, text]).toEqual([reason, ...NOT_DELIVERABLE])
  }
  expect([await statusOf(shop, id), await orders(shop)]).toEqual(['skipped', 0])
})

test('409 not_deliverable: mined more than 30 days ago, or orphaned', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  const id = await skipped(shop, config)
  await final(id)
  // As old as the payment will be: without an offer at its time nothing could be sold anyway.
  await market.database.sql(
    `update agent.config_version set valid_from = valid_from - interval '40 days' where config_id = $1`,
    [config.id],
  )
  const refused = async () => {
    const { status, text } = await deliver(shop, id)
    expect([status, text]).toEqual(NOT_DELIVERABLE)
  }
  await change(id, `block_time = block_time - interval '30 days'`)
  await refused()
  await change(id, `block_time = block_time + interval '1 hour'`)
  await change(id, 'orphaned = true')
  await refused()
  await change(id, 'orphaned = false')
  expect((await deliver(shop, id)).status).toBe(200)
})

test('409 not_deliverable: a payment that is not skipped, whatever it is', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  const small = await paid(shop, config, BASE - 1_000, 'skipped')
  await market.provider({ behaviour: 'fail' })
  const failed = await paid(shop, config, BASE, 'failed')
  await market.provider({ behaviour: 'ok' })
  const sold = await paid(shop, config, BASE, 'completed')
  await market.settings({ purchases_enabled: false })
  const waiting = await paid(shop, config, BASE, 'processing')
  await final(waiting)
  for (const id of [small, failed, sold, waiting]) {
    const { status, text } = await deliver(shop, id)
    expect([status, text]).toEqual(NOT_DELIVERABLE)
  }
  expect(await orders(shop)).toBe(2)
})

test('409 not_deliverable: paid from an address of ours while the page was paused', async () => {
  const shop = await market.fundedAccount('200')
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  const { deposit_address } = (await market.get(shop, '/account')).body
  await change(id, `payer = '${deposit_address}'`)
  const { status, text } = await deliver(shop, id)
  expect([status, text]).toEqual(NOT_DELIVERABLE)
})

test('403 account_blocked: a blocked client, and 409 comes first', async () => {
  const shop = await market.fundedAccount('200')
  const config = await market.newConfig(shop)
  const id = await skipped(shop, config)
  await final(id)
  await market.database.sql(`select ledger.block_account($1, 'a question', clock_timestamp())`, [
    shop.account_id,
  ])
  const { status, body } = await deliver(shop, id)
  expect([status, body.detail.error]).toEqual([403, 'account_blocked'])
  await change(id, `skip_reason = 'account_blocked'`)
  expect((await deliver(shop, id)).status).toBe(409)
  expect([await statusOf(shop, id), await orders(shop)]).toEqual(['skipped', 0])
})

test('404 not_found: unknown, malformed and of another account are the same bytes', async () => {
  const shop = await market.fundedAccount('200')
  const stranger = await market.newAccount()
  const id = await skipped(shop, await market.newConfig(shop))
  await final(id)
  const absent = ['01a1dd1e-0000-7000-8000-000000000000', 'x', id.toUpperCase()]
  const answers = await Promise.all([id, ...absent].map((one) => deliver(stranger, one)))
  expect(new Set(answers.map(({ status, whole }) => `${status} ${whole}`)).size).toBe(1)
  expect([answers[0]!.status, answers[0]!.body.detail.error]).toEqual([404, 'not_found'])
})
