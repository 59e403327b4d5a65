// Proves: agent.
import { toBase58 } from '@ergon/tron'
import { utils } from 'tronweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentMarket, BASE, COST_65K, offer, openAgentMarket } from '../testing/agent.ts'
import type { TestAccount } from '../testing/app.ts'
import { flatSchedule } from '../testing/market.ts'

// /v1/agent: every refusal of the contract with its fields, in its order; limits; states.

let market: AgentMarket
let rich: TestAccount
beforeAll(async () => {
  market = await openAgentMarket()
  await market.settings({ max_configs: 1_000 })
  rich = await market.fundedAccount('500')
})
afterAll(() => market?.close())

const create = (body: Record<string, unknown>, account = rich) =>
  market.agent(account, 'POST', '/configs', {
    mode: 'own',
    address: market.freshWallet(),
    ...offer,
    ...body,
  })
const detail = async (answer: Promise<{ status: number; body: { detail: unknown } }>) => {
  const { status, body } = await answer
  return [status, body.detail]
}

test('201: the configuration, active, with empty sums', async () => {
  const address = market.freshWallet()
  const { status, body } = await create({ address, title: '  Café  ' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    mode: 'own',
    address,
    title: 'Café',
    ...offer,
    status: 'active',
    pause_reason: null,
    proven: false,
    stats: { sales: 0, energy: 0, revenue_sun: 0, cost_sun: 0, last_sale_at: null },
  })
  expect(body.public_id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/)
  expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a dedicated address is ours, new and watched', async () => {
  const { body } = await create({ mode: 'generated', address: undefined })
  expect(body).toMatchObject({ mode: 'generated', proven: true })
  const taken = create({ address: body.address })
  expect(await detail(taken)).toEqual([422, { error: 'address_reserved' }])
})

describe('shape', () => {
  test.each([
    [{ mode: 'both' }, ['body', 'mode'], 'enum'],
    [{ mode: undefined }, ['body', 'mode'], 'missing'],
    [{ address: undefined }, ['body', 'address'], 'missing'],
    [{ energy_per_unit: '65000' }, ['body', 'energy_per_unit'], 'int_type'],
    [{ base_payment_sun: 1.5 }, ['body', 'base_payment_sun'], 'int_type'],
    [{ max_units: undefined }, ['body', 'max_units'], 'missing'],
    [{ max_units: 2 ** 60 }, ['body', 'max_units'], 'less_than_equal'],
    [{ title: 'x'.repeat(41) }, ['body', 'title'], 'string_too_long'],
    [{ title: '🟠'.repeat(41) }, ['body', 'title'], 'string_too_long'],
    [{ title: 'a\tb' }, ['body', 'title'], 'value_error'],
    [{ title: 7 }, ['body', 'title'], 'string_type'],
  ])('%j is 422 at %j: %s', async (change, loc, type) => {
    const { status, body } = await create(change)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc, type }])
  })

  test.each(['🟠'.repeat(40), `  ${'x'.repeat(40)}  `, '\u202eltr', '=HYPERLINK(1)', '   '])(
    'title %j is welcome',
    async (title) => {
      expect((await create({ title })).body.title).toBe(title.trim())
    },
  )
})

describe('refusals', () => {
  const ours = () => rich.deposit_address
  test.each([
    ['address_invalid', 422, () => ({ address: 'T123' }), {}],
    ['address_invalid', 422, () => ({ address: `41${'0'.repeat(40)}` }), {}],
    ['address_reserved', 422, () => ({ address: ours() }), {}],
    ['units_out_of_bounds', 422, () => ({ max_units: 0 }), {}],
    ['units_out_of_bounds', 422, () => ({ max_units: 11 }), {}],
    ['energy_out_of_bounds', 422, () => ({ energy_per_unit: 31_999 }), {}],
    ['energy_out_of_bounds', 422, () => ({ energy_per_unit: 5_000_001, max_units: 1 }), {}],
    ['energy_out_of_bounds', 422, () => ({ energy_per_unit: 2_500_001, max_units: 2 }), {}],
    ['base_not_mtrx', 422, () => ({ base_payment_sun: BASE + 1 }), {}],
    ['base_not_mtrx', 422, () => ({ base_payment_sun: 999 }), {}],
    [
      'base_below_cost',
      422,
      () => ({ base_payment_sun: COST_65K - 1_000 }),
      { cost_max_sun: COST_65K },
    ],
    ['base_below_cost', 422, () => ({ base_payment_sun: 0 }), { cost_max_sun: COST_65K }],
    ['ownership_not_proven', 422, () => ({ ownership_signature: '0x00' }), {}],
  ])('%s is %i', async (error, status, body, extra) => {
    expect(await detail(create(body()))).toEqual([status, { error, ...extra }])
  })

  test('a base payment of exactly the dearest hour is enough', async () => {
    expect((await create({ base_payment_sun: COST_65K })).status).toBe(201)
  })

  test('address_taken: any configuration that is not deleted, of anybody', async () => {
    const { body } = await create({})
    const other = await market.fundedAccount('200')
    const again = () => create({ address: body.address }, other)
    expect(await detail(again())).toEqual([409, { error: 'address_taken' }])
    await market.agent(rich, 'POST', `/configs/${body.id}/pause`)
    expect(await detail(again())).toEqual([409, { error: 'address_taken' }])
    expect((await market.agent(rich, 'DELETE', `/configs/${body.id}`)).status).toBe(204)
    expect((await again()).status).toBe(201)
  })

  test('they come in the order of the contract', async () => {
    const poor = await market.newAccount()
    await market.settings({ agent_enabled: false, max_configs: 0, max_generated: 0 })
    const wrong: Record<string, unknown> = {
      address: 'nonsense',
      max_units: 0,
      energy_per_unit: 1,
      base_payment_sun: 1,
    }
    const next = async (fix: Record<string, unknown> = {}) => {
      Object.assign(wrong, fix)
      return (await create(wrong, poor)).body.detail.error
    }
    expect(await next()).toBe('program_disabled')
    await market.settings({ agent_enabled: true })
    expect(await next()).toBe('address_invalid')
    expect(await next({ address: ours() })).toBe('address_reserved')
    const [taken] = (await market.agent(rich, 'GET', '/configs')).body.items.filter(
      (config: { mode: string }) => config.mode === 'own',
    )
    expect(await next({ address: taken.address })).toBe('address_taken')
    expect(await next({ address: market.freshWallet() })).toBe('units_out_of_bounds')
    expect(await next({ max_units: 1 })).toBe('energy_out_of_bounds')
    expect(await next({ energy_per_unit: 65_000 })).toBe('base_not_mtrx')
    expect(await next({ base_payment_sun: 1_000 })).toBe('base_below_cost')
    expect(await next({ base_payment_sun: BASE })).toBe('config_limit')
    await market.settings({ max_configs: 1_000 })
    expect(await next({ mode: 'generated', address: undefined })).toBe('generated_limit')
    await market.settings({ max_generated: 1_000 })
    const { status, body } = await create(wrong, poor)
    const balance = { min_balance_sun: 100_000_000, balance_sun: 0 }
    expect([status, body.detail]).toEqual([422, { error: 'below_min_balance', ...balance }])
  })
})

describe('limits hold in parallel', () => {
  test('config_limit: of N + 4 at once, N are made', async () => {
    await market.settings({ max_configs: 6 })
    const account = await market.fundedAccount('200')
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({}, account)))
    await market.settings({ max_configs: 1_000 })
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(6)
    expect(answers.filter(({ body }) => body.detail?.error === 'config_limit')).toHaveLength(4)
    expect((await market.agent(account, 'GET', '/configs')).body.items).toHaveLength(6)
  })

  test('generated_limit: of N + 3 at once, N are made', async () => {
    await market.settings({ max_generated: 2 })
    const account = await market.fundedAccount('200')
    const body = { mode: 'generated', address: undefined }
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(body, account)))
    await market.settings({ max_generated: 1_000 })
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ body }) => body.detail?.error === 'generated_limit')).toHaveLength(3)
  })

  test('one address, five accounts at once: one has it', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => market.fundedAccount('150')))
    const address = market.freshWallet()
    const answers = await Promise.all(accounts.map((account) => create({ address }, account)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
  })
})

describe('whose wallet it is', () => {
  const signed = (
    account: TestAccount,
    wallet: { address: { base58: string }; privateKey: string },
  ) =>
    utils.message.signMessage(`${account.account_id}:${wallet.address.base58}`, wallet.privateKey)

  test('a proven claim displaces an unproven one, which gets nothing any more', async () => {
    const wallet = utils.accounts.generateAccount()
    const address = wallet.address.base58
    const squatter = await market.fundedAccount('150')
    const squatted = await market.newConfig(squatter, { address })
    const owner = await market.fundedAccount('150')
    const foreign = create({ address, ownership_signature: signed(squatter, wallet) }, owner)
    expect(await detail(foreign)).toEqual([422, { error: 'ownership_not_proven' }])
    const claim = await create({ address, ownership_signature: signed(owner, wallet) }, owner)
    expect([claim.status, claim.body.proven, claim.body.status]).toEqual([201, true, 'active'])
    const [lost] = (await market.agent(squatter, 'GET', '/configs')).body.items
    expect(lost).toMatchObject({ id: squatted.id, status: 'paused', pause_reason: 'admin' })
    const back = market.agent(squatter, 'POST', `/configs/${squatted.id}/resume`)
    expect(await detail(back)).toEqual([409, { error: 'admin_paused' }])

    const txid = await market.pay(claim.body, BASE)
    market.mine()
    await market.payment(owner, txid)
    expect((await market.agent(squatter, 'GET', '/payments')).body.items).toEqual([])
    const again = create({ address, ownership_signature: signed(squatter, wallet) }, squatter)
    expect(await detail(again)).toEqual([409, { error: 'address_taken' }])

    // The displaced one being deleted leaves no mark on the address.
    await market.agent(squatter, 'DELETE', `/configs/${squatted.id}`)
    await market.agent(owner, 'DELETE', `/configs/${claim.body.id}`)
    expect((await create({ address }, owner)).body).toMatchObject({ status: 'active' })
  })

  test('an address deleted while paused by support comes back as paused by support', async () => {
    const config = await market.newConfig(rich)
    const paused = await market.call('POST', `/sandbox/agent/configs/${config.id}/admin-pause`)
    expect(paused.body).toMatchObject({ status: 'paused', pause_reason: 'admin' })
    await market.agent(rich, 'DELETE', `/configs/${config.id}`)
    const { status, body } = await create({ address: config.address })
    expect([status, body.status, body.pause_reason]).toEqual([201, 'paused', 'admin'])
  })
})

describe('changes', () => {
  test('PATCH takes the same rules, and mode and address are frozen', async () => {
    const config = await market.newConfig(rich)
    const patch = (body: Record<string, unknown>) =>
      market.agent(rich, 'PATCH', `/configs/${config.id}`, body)
    expect((await patch({ title: ' New ', max_units: 2 })).body).toMatchObject({
      title: 'New',
      max_units: 2,
      energy_per_unit: offer.energy_per_unit,
    })
    expect((await patch({})).status).toBe(200)
    expect(await detail(patch({ base_payment_sun: 1_949_000 }))).toEqual([
      422,
      { error: 'base_below_cost', cost_max_sun: COST_65K },
    ])
    expect((await patch({ max_units: 11 })).body.detail).toEqual({ error: 'units_out_of_bounds' })
    expect((await patch({ mode: 'own', address: config.address })).body.detail).toMatchObject([
      { loc: ['body', 'mode'], type: 'frozen' },
      { loc: ['body', 'address'], type: 'frozen' },
    ])
    await market.settings({ agent_enabled: false })
    expect(await detail(patch({ title: 'x' }))).toEqual([403, { error: 'program_disabled' }])
    const gone = market.agent(rich, 'PATCH', '/configs/nothing', { title: 'x' })
    expect(await detail(gone)).toEqual([403, { error: 'program_disabled' }])
    await market.settings({ agent_enabled: true })
  })

  test('a new title is welcome when prices have outgrown the base payment', async () => {
    const config = await market.newConfig(rich, { base_payment_sun: COST_65K })
    await market.settings({ schedule: flatSchedule(40) })
    const title = await market.agent(rich, 'PATCH', `/configs/${config.id}`, { title: 'x' })
    const units = market.agent(rich, 'PATCH', `/configs/${config.id}`, { max_units: 1 })
    const refused = await detail(units)
    await market.settings({ schedule: flatSchedule(30) })
    expect(title.status).toBe(200)
    expect(refused).toEqual([422, { error: 'base_below_cost', cost_max_sun: 2_600_000 }])
  })

  test('pause and resume: twice is once, and support has the last word', async () => {
    const config = await market.newConfig(rich)
    const act = (verb: string) => market.agent(rich, 'POST', `/configs/${config.id}/${verb}`)
    const first = await act('pause')
    expect(first.body).toMatchObject({ status: 'paused', pause_reason: 'user' })
    expect((await act('pause')).text).toBe(first.text)
    const resumed = await act('resume')
    expect(resumed.body).toMatchObject({ status: 'active', pause_reason: null })
    expect((await act('resume')).text).toBe(resumed.text)
    await act('pause')
    await market.settings({ min_balance_sun: 10_000_000_000 })
    const { status, body } = await act('resume')
    await market.settings({ min_balance_sun: 100_000_000 })
    expect([status, body.detail.error, body.detail.min_balance_sun]).toEqual([
      422,
      'below_min_balance',
      10_000_000_000,
    ])
    await market.settings({ agent_enabled: false })
    expect(await detail(act('resume'))).toEqual([403, { error: 'program_disabled' }])
    expect((await act('pause')).status).toBe(200)
    await market.settings({ agent_enabled: true })
    await market.call('POST', `/sandbox/agent/configs/${config.id}/admin-pause`)
    expect(await detail(act('resume'))).toEqual([409, { error: 'admin_paused' }])
  })

  test('DELETE: an own wallet is gone, a dedicated address stays', async () => {
    const config = await market.newConfig(rich)
    const path = `/configs/${config.id}`
    const gone = await market.agent(rich, 'DELETE', path)
    expect([gone.status, gone.text]).toEqual([204, ''])
    const again = await market.agent(rich, 'DELETE', path)
    expect([again.status, again.body.detail.error]).toEqual([404, 'not_found'])
    expect((await market.call('GET', `/v1/pay/${config.public_id}`)).status).toBe(404)
    const kept = await market.newConfig(rich, { mode: 'generated', address: undefined })
    const refused = market.agent(rich, 'DELETE', `/configs/${kept.id}`)
    expect(await detail(refused)).toEqual([409, { error: 'generated_not_deletable' }])
  })
})

describe('reads', () => {
  test('summary and quote: now, lowest and highest hour, discount included', async () => {
    const vip = await market.fundedAccount('150', { vip_discount_bps: 1_000 })
    const schedule = [...flatSchedule(30)]
    schedule[3] = 20
    schedule[5] = 50
    await market.settings({ schedule })
    const quote = await market.agent(vip, 'GET', '/quote?energy=65001')
    const summary = await market.agent(vip, 'GET', '/summary')
    const hour = new Date((await market.call('GET', '/sandbox/clock')).body.now).getUTCHours()
    await market.settings({ schedule: flatSchedule(30) })
    const cost = (unit: number, energy = 65_001) => Math.ceil((energy * unit * 9_000) / 10_000)
    expect(quote.body).toEqual({
      energy: 65_001,
      cost_now_sun: cost(schedule[hour]!),
      cost_min_sun: cost(20),
      cost_max_sun: cost(50),
      timezone: 'UTC',
    })
    expect(summary.body).toMatchObject({
      account_id: vip.account_id,
      enabled: true,
      min_balance_sun: 100_000_000,
      balance_sun: 150_000_000,
      can_activate: true,
      max_units_cap: 10,
      energy_min: 32_000,
      energy_max: 5_000_000,
      quote_65k: { energy: 65_000, cost_max_sun: cost(50, 65_000) },
      totals: { sales: 0, energy: 0, revenue_sun: 0, cost_sun: 0 },
    })
  })

  test.each([31_999, 5_000_001, 0, -1])('quote of %i: 422 energy_out_of_bounds', async (energy) => {
    const quote = market.agent(rich, 'GET', `/quote?energy=${energy}`)
    expect(await detail(quote)).toEqual([422, { error: 'energy_out_of_bounds' }])
  })

  test('payments: filters and paging; an empty filter is none', async () => {
    const txid = await market.pay(await market.newConfig(rich), BASE - 1)
    market.mine()
    await market.payment(rich, txid, 'skipped')
    const bad = await market.agent(rich, 'GET', '/payments?page_size=101&status=lost&page=0')
    expect(bad.body.detail.map((fault: { type: string }) => fault.type).toSorted()).toEqual([
      'enum',
      'greater_than_equal',
      'less_than_equal',
    ])
    const none = await market.agent(rich, 'GET', '/payments?config_id=nonsense')
    expect(none.body).toEqual({ items: [], page: 1, page_size: 20, has_more: false })
    const seen = await market.agent(rich, 'GET', '/payments')
    expect(seen.body.items.length).toBeGreaterThan(0)
    for (const empty of ['config_id=', 'status=', 'config_id=&status=']) {
      expect((await market.agent(rich, 'GET', `/payments?${empty}`)).text).toBe(seen.text)
    }
    const far = await market.agent(rich, 'GET', '/payments?page=9007199254740991&page_size=100')
    expect(far.body.items).toEqual([])
  })

  test('pay page data: what it sells, whether it can, 404 for what is not there', async () => {
    const config = await market.newConfig(rich, { title: '<b>' })
    const read = () => market.call('GET', `/v1/pay/${config.public_id}`)
    expect((await read()).body).toEqual({
      public_id: config.public_id,
      title: '<b>',
      address: config.address,
      ...offer,
      available: true,
      referral_code: expect.stringMatching(/^[A-Z2-9]{10}$/),
    })
    await market.agent(rich, 'POST', `/configs/${config.id}/pause`)
    expect((await read()).body.available).toBe(false)
    for (const id of ['nothing', '1'.repeat(22), `${config.public_id}%00`]) {
      const { status, body } = await market.call('GET', `/v1/pay/${id}`)
      expect([status, body.detail.error]).toEqual([404, 'not_found'])
    }
    const check = async (address: string) =>
      (await market.call('GET', `/v1/pay/${config.public_id}/check?address=${address}`)).body
        .can_receive
    const customer = toBase58(market.devnet.chain.network.funded[5]!.address)
    expect(await check(customer)).toBe(true)
    expect(await check(market.freshWallet())).toBe(false)
    expect(await check(toBase58(market.devnet.chain.network.splitter))).toBe(false)
    expect(await check('nonsense')).toBe(false)
    expect(await check(config.address)).toBe(false)
  })
})
