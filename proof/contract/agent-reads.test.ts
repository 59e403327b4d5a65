// Proves: agent.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentMarket, BASE, COST_65K, offer, openAgentMarket } from '../testing/agent.ts'
import { until } from '../testing/until.ts'

// What the agent API shows: the summary, the lists with their filters and pages, and what is not there.

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket()
})
afterAll(() => market?.close())

test('summary: the terms, a quote for 65,000 Energy, and whether the balance is enough', async () => {
  const enough = await market.fundedAccount('100')
  const short = await market.fundedAccount('99.999999')
  const summary = async (account = enough) => (await market.agent(account, 'GET', '/summary')).body
  expect(await summary()).toEqual({
    account_id: enough.account_id,
    enabled: true,
    min_balance_sun: 100_000_000,
    balance_sun: 100_000_000,
    can_activate: true,
    max_configs: 20,
    max_generated: 5,
    max_units_cap: 10,
    energy_min: 32_000,
    energy_max: 5_000_000,
    quote_65k: {
      energy: 65_000,
      cost_now_sun: COST_65K,
      cost_min_sun: COST_65K,
      cost_max_sun: COST_65K,
      timezone: 'UTC',
    },
    totals: { sales: 0, energy: 0, revenue_sun: 0, cost_sun: 0 },
  })
  expect(await summary(short)).toMatchObject({ balance_sun: 99_999_999, can_activate: false })
  // What the summary says is what create does.
  const create = (account = enough) =>
    market.agent(account, 'POST', '/configs', { mode: 'generated', ...offer })
  expect((await create()).status).toBe(201)
  expect((await create(short)).body.detail.error).toBe('below_min_balance')
  await market.settings({ agent_enabled: false })
  expect((await summary()).enabled).toBe(false)
  await market.settings({ agent_enabled: true })
})

test('configs: newest first, without those that were deleted', async () => {
  const shop = await market.fundedAccount('100')
  const made = []
  for (let count = 0; count < 3; count++) made.push((await market.newConfig(shop)).id)
  const listed = async () => {
    const { body } = await market.agent(shop, 'GET', '/configs')
    expect(Object.keys(body)).toEqual(['items'])
    return body.items.map(({ id }: { id: string }) => id)
  }
  expect(await listed()).toEqual(made.toReversed())
  await market.agent(shop, 'DELETE', `/configs/${made[1]}`)
  expect(await listed()).toEqual([made[2], made[0]])
})

test('payments: newest first, by status and configuration, in pages that say whether there is more', async () => {
  const shop = await market.fundedAccount('100')
  const [one, other] = [await market.newConfig(shop), await market.newConfig(shop)]
  const list = async (query = '') => {
    const { body } = await market.agent(shop, 'GET', `/payments${query}`)
    return { ...body, items: body.items.map(({ tx_hash }: { tx_hash: string }) => tx_hash) }
  }
  const sold = await market.pay(one, BASE)
  await until('it is sold', async () => {
    await market.mineWhenRead()
    return (await list('?status=completed')).items.length === 1
  })
  const later = await market.pay(other, BASE - 1)
  market.mine()
  await market.payment(shop, later, 'skipped')
  const last = await market.pay(one, BASE - 1)
  market.mine()
  await market.payment(shop, last, 'skipped')

  expect(await list()).toEqual({
    items: [last, later, sold],
    page: 1,
    page_size: 20,
    has_more: false,
  })
  expect((await list('?status=skipped')).items).toEqual([last, later])
  const { days, skipped: unsold } = await market.rooms.agent.reads.since(
    shop.account_id,
    new Date(0),
  )
  expect(days.map(({ day: _day, ...sums }) => sums)).toEqual([
    { sales: 1n, revenue: BigInt(BASE), cost: BigInt(COST_65K) },
  ])
  const amount = 2n * BigInt(BASE - 1)
  expect(unsold).toEqual([{ reason: 'below_base', payments: 2n, amount }])
  expect((await list(`?config_id=${one.id}`)).items).toEqual([last, sold])
  expect((await list(`?config_id=${one.id}&status=completed`)).items).toEqual([sold])
  expect(await list('?page_size=2')).toMatchObject({ items: [last, later], has_more: true })
  const second = { items: [sold], page: 2, page_size: 2, has_more: false }
  expect(await list('?page=2&page_size=2')).toEqual(second)
  expect(await list('?page_size=3')).toMatchObject({ has_more: false })

  const [skipped] = (await market.agent(shop, 'GET', '/payments')).body.items
  expect(skipped).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    config_id: one.id,
    tx_hash: last,
    payer: expect.stringMatching(/^T\w{33}$/),
    amount_sun: BASE - 1,
    units: 0,
    energy: 0,
    cost_sun: null,
    status: 'skipped',
    skip_reason: 'below_base',
    order_id: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test('a configuration that lack of balance paused is resumed by its owner when there is enough', async () => {
  await market.settings({ min_balance_sun: 0 })
  const shop = await market.fundedAccount('1')
  const config = await market.newConfig(shop)
  const txid = await market.pay(config, BASE)
  market.mine()
  const payment = await market.payment(shop, txid, 'skipped')
  expect(payment.skip_reason).toBe('insufficient_balance')
  const resume = () => market.agent(shop, 'POST', `/configs/${config.id}/resume`)
  await market.settings({ min_balance_sun: 1_000_001 })
  const refused = await resume()
  expect([refused.status, refused.body.detail]).toEqual([
    422,
    { error: 'below_min_balance', min_balance_sun: 1_000_001, balance_sun: 1_000_000 },
  ])
  await market.settings({ min_balance_sun: 1_000_000 })
  const { status, body } = await resume()
  await market.settings({ min_balance_sun: 100_000_000 })
  expect([status, body.status, body.pause_reason]).toEqual([200, 'active', null])
})

test.each([
  ['units_out_of_bounds', { max_units: 0 }],
  ['energy_out_of_bounds', { energy_per_unit: 31_999 }],
  ['energy_out_of_bounds', { energy_per_unit: 2_500_001, max_units: 2 }],
  ['base_not_mtrx', { base_payment_sun: BASE + 1 }],
  ['base_below_cost', { base_payment_sun: COST_65K - 1_000 }],
])('PATCH refuses as create does: %s for %j', async (error, body) => {
  const shop = await market.fundedAccount('100')
  const { id } = await market.newConfig(shop)
  const { status, body: answer } = await market.agent(shop, 'PATCH', `/configs/${id}`, body)
  expect([status, answer.detail.error]).toEqual([422, error])
  const long = await market.agent(shop, 'PATCH', `/configs/${id}`, { title: 'x'.repeat(41) })
  expect(long.body.detail).toMatchObject([{ loc: ['body', 'title'], type: 'string_too_long' }])
  const [unchanged] = (await market.agent(shop, 'GET', '/configs')).body.items
  expect(unchanged).toMatchObject({ ...offer, title: '' })
})

test.each([
  { energy_per_unit: 32_000, max_units: 1 },
  { energy_per_unit: 65_000, max_units: 10 },
  { energy_per_unit: 2_500_000, max_units: 2 },
  { energy_per_unit: 5_000_000, max_units: 1 },
])('the bounds themselves are allowed: %j', async (bounds) => {
  const shop = await market.fundedAccount('100')
  const made = await market.newConfig(shop, { ...bounds, base_payment_sun: 150_000_000 })
  expect(made).toMatchObject({ ...bounds, status: 'active' })
})

test('a dedicated address is paused and resumed like a wallet of the client', async () => {
  const shop = await market.fundedAccount('100')
  const { id } = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const act = async (verb: string) =>
    (await market.agent(shop, 'POST', `/configs/${id}/${verb}`)).body
  expect(await act('pause')).toMatchObject({ status: 'paused', pause_reason: 'user' })
  expect(await act('resume')).toMatchObject({ status: 'active', pause_reason: null })
})

test('404 not_found on every route that names a configuration', async () => {
  const account = await market.newAccount()
  for (const id of ['01a1dd1e-0000-7000-8000-000000000000', 'nonsense']) {
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const answer = await market.agent(account, method, `/configs/${id}${path}`, body)
      expect([method, path, answer.status, answer.body.detail.error]).toEqual([
        method,
        path,
        404,
        'not_found',
      ])
    }
  }
})
