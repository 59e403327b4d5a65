// Proves: db, events, webhooks, agent, audit.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

// Everything past its time is dropped, and the auditor still proves all history.

vi.setConfig({ testTimeout: stretched(120_000) })
const DAY_SECONDS = 86_400

let market: AgentMarket
let shop: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  shop = await market.fundedAccount('900')
})
afterAll(() => market?.close())

const count = async (what: string) =>
  (await market.database.sql<{ count: number }>(`select count(*)::int as count from ${what}`))[0]!
    .count
const partitions = () =>
  count(
    `pg_inherits where inhparent = 'events.event'::regclass and inhrelid::regclass::text ~ '[0-9]{8}'`,
  )

/** Rounds until nothing is left to delete; the mark of the events moves a round before they go. */
async function clean() {
  const { housekeeping } = market.rooms
  await housekeeping.stop()
  await housekeeping.runOnce()
  while ((await housekeeping.runOnce()) > 0);
  expect(await market.database.sql('select subject, error from db.put_aside')).toEqual([])
}

async function sale(config: Parameters<AgentMarket['pay']>[0]) {
  const txid = await market.pay(config, BASE)
  await until('the sale', async () => {
    await market.mineWhenRead()
    const { body } = await market.agent(shop, 'GET', '/payments?page_size=100')
    return body.items.some(
      (item: { tx_hash: string; status: string }) =>
        item.tx_hash === txid && item.status === 'completed',
    )
  })
}

const pass = (days: number) =>
  market.call('POST', '/sandbox/clock', { body: { advance_seconds: days * DAY_SECONDS } })

test('old events, deliveries and offers go; orders, movements and proofs stay', async () => {
  const url = (await market.call('POST', '/sandbox/webhook-sink')).body.url
  const events = { 'balance.changed': true }
  const body = { name: 'all', url, events }
  const made = await market.call('POST', '/v1/webhooks', { key: shop.api_key, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  const config = await market.newConfig(shop)
  await sale(config)
  const patch = { max_units: 2 }
  await market.agent(shop, 'PATCH', `/configs/${config.id}`, patch)
  await market.agent(shop, 'POST', `/configs/${config.id}/pause`)
  await market.agent(shop, 'POST', `/configs/${config.id}/resume`)
  await until('the deliveries', async () => {
    return (await count(`webhooks.delivery where state = 'delivered'`)) > 0
  })
  const before = {
    movements: await count('ledger.movement'),
    orders: await count('orders.purchase_order'),
  }
  expect(await count('agent.config_version')).toBeGreaterThan(3)

  await pass(29)
  const written = await count('events.event')
  await clean()
  expect(await count('events.event')).toBe(written)
  expect(await count('webhooks.delivery')).toBeGreaterThan(0)

  await pass(100)
  await clean()
  expect(await count('events.event where created_at < (select since from events.kept)')).toBe(0)
  expect(await count('events.event')).toBeLessThan(written)
  expect(await partitions()).toBeLessThanOrEqual(31 + 8)
  expect(await count('webhooks.delivery')).toBe(0)
  expect(await count('webhooks.message')).toBe(0)
  expect(await count('orders.idempotency_key')).toBe(0)
  expect(await count(`agent.config_version where config_id = '${config.id}'`)).toBe(1)
  expect(await count('ledger.movement')).toBeGreaterThanOrEqual(before.movements)
  expect(await count('orders.purchase_order')).toBe(before.orders)

  expect(await market.rooms.audit.run()).toBeUndefined()
  await market.rooms.audit.loop.runOnce()
  expect(await count('audit.finding')).toBe(0)
  // What is sold from now on is judged and proven as ever.
  await sale(config)
  expect(await market.rooms.audit.run()).toBeUndefined()
})

test('an event that is missing although its day is kept is found', async () => {
  await market.database.sql(`delete from events.event where type = 'balance.changed' and subject = (
    select id::text from ledger.movement where client_id is not null order by id desc limit 1)`)
  expect((await market.rooms.audit.run())?.invariant).toBe('M19')
})
