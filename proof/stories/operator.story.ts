// Proves: operator.
import type { Devnet } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { approvalBody, FIRST, SECOND } from '../testing/approvals.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { turnOn } from '../testing/turnOn.ts'
import { until } from '../testing/until.ts'
import type { Visitor } from '../testing/visitor.ts'
import { openDevnet } from '../testing/world.ts'

// A day at the console: what operators see, what they change, and what is logged about it.

let devnet: Devnet
let market: Market
let second: TestApp
let fake: FakeMarketplace
let ann: Visitor & { email: string }
let bob: Visitor & { email: string }
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet()
  fake = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  market = await openMarket({ devnet, marketplaces: [fake] })
  const { database } = market
  second = await openTestApp({ database, devnet, role: 'api', marketplaces: [fake] })
  ann = await openOperator(market, 'ann@example.com')
  bob = await openOperator(market, 'bob@example.com')
  client = await market.fundedAccount('1000')
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await second.close()
  await market.close()
  await devnet.close()
})

const why = 'a test of the console'
const lastAction = async () => (await ann.call('GET', '/actions?limit=1')).body.actions[0]
const at = (path: string) => `/accounts/${client.account_id}${path}`

test('the first page answers three questions with their evidence', async () => {
  await ann.call('POST', '/treasury/reconcile', {})
  const { status, body } = await until('the scanner has read the head', async () => {
    const answer = await ann.call('GET', '/status')
    return answer.body.scanner.block === devnet.chain.head.number && answer
  })
  expect(status).toBe(200)
  expect(body.selling).toMatchObject({ ok: true, price_sun: expect.any(Number) })
  expect(body.solvent).toMatchObject({ ok: true, reconciliation: { clients_trx: '1000' } })
  expect(body.stuck).toEqual({ ok: true, sentence: 'Nothing is stuck.', work: [] })
})

test('a switch stops selling at once on two nodes, and says who did it and why', async () => {
  const buy = (app: TestApp) =>
    app.call('POST', '/v1/buy', {
      key: client.api_key,
      body: { receiver_address: market.receivers[1], resource_amount: 65_000 },
    })
  expect((await buy(second)).status).toBe(200)
  const off = await ann.call('POST', '/switches/selling', { enabled: false, why })
  expect(off.body).toMatchObject({ name: 'selling', enabled: false })
  for (const node of [market, second]) expect((await buy(node)).status).toBe(503)
  const { selling } = (await bob.call('GET', '/status')).body
  expect(selling).toMatchObject({ ok: false, sentence: `Switched off: ann@example.com: ${why}.` })
  expect(await lastAction()).toMatchObject({
    who: 'ann@example.com',
    what: 'switch',
    subject: 'selling',
    why,
    done: true,
    change: { before: true, after: false },
  })
  await bob.call('POST', '/switches/selling', { enabled: true, why })
  for (const node of [market, second]) expect((await buy(node)).status).toBe(200)
})

test('every switch turns off and on again, and nothing else is one', async () => {
  const { switches } = (await ann.call('GET', '/switches')).body
  const names = switches.map((one: { name: string }) => one.name)
  expect(names).toEqual([
    'selling',
    'autoenergy',
    'agent',
    'sweeps',
    'signing',
    'webhooks',
    'provider:bazaar',
    'provider:own_stake',
  ])
  for (const name of names) {
    const path = `/switches/${encodeURIComponent(name)}`
    const off = await ann.call('POST', path, { enabled: false, why })
    expect(off.body).toMatchObject({ name, enabled: false })
    const on = await ann.call('POST', path, { enabled: true, why })
    if (name === 'signing') {
      expect(on.status).toBe(400)
      expect(on.text).toContain("only on the signer's machine: npx ergon signer on")
      await turnOn(market.database)
      continue
    }
    expect(on.body).toMatchObject({ name, enabled: true })
  }
  for (const name of ['nothing', 'constructor', 'provider:nobody', 'provider:%00']) {
    const answer = await ann.call('POST', `/switches/${name}`, { enabled: false, why })
    expect([name, answer.status]).toEqual([name, 404])
  }
  const silent = await ann.call('POST', '/switches/selling', { enabled: false })
  expect(silent.status).toBe(422)
})

test('a switch that the database did not change is not reported as changed', async () => {
  for (const name of ['selling', 'autoenergy', 'sweeps', 'signing', 'webhooks']) {
    // PostgreSQL stores no text with this character, so the update fails.
    const turned = market.rooms.operator.switches.set(name, false, '\0')
    await expect(turned).rejects.toThrow('invalid byte sequence')
  }
})

test('while signing is off nothing is signed; afterwards it goes on', async () => {
  await ann.call('POST', '/switches/provider%3Abazaar', { enabled: false, why })
  await ann.call('POST', '/switches/signing', { enabled: false, why })
  await market.rooms.providers.refresh()
  const bought = await market.buy(client)
  const signed = () =>
    market.database.sql(
      `select from signing.request r join delivery.attempt t on t.signing_request = r.id
         join delivery.part p on p.id = t.part_id join signing.answer a on a.request_id = r.id
        where p.request_id = $1`,
      [bought.body.order_id],
    )
  await until(
    'the request for a signature',
    async () => (await market.rooms.signing.waiting()).count > 0n,
  )
  expect(await signed()).toEqual([])
  await turnOn(market.database)
  await until('the signature', async () => (await signed()).length > 0)
  await ann.call('POST', '/switches/provider%3Abazaar', { enabled: true, why })
})

test('an adjustment within the limit is booked at once, with its reason in the ledger', async () => {
  const before = await market.balanceSun(client)
  const asked = await ann.call('POST', at('/adjustments'), { amount_trx: '60', why: 'late Energy' })
  expect(asked.body).toMatchObject({ state: 'booked', amount_trx: '60', decided_by: null })
  expect(await market.balanceSun(client)).toBe(before + 60_000_000n)
  const [entry] = (await market.get(client, '/transactions?limit=1')).body.transactions
  expect(entry).toMatchObject({ entry_type: 'adjustment', description: 'Adjustment: late Energy' })
})

test('above the limit of the day it waits for a second operator, who is somebody else', async () => {
  const before = await market.balanceSun(client)
  const asked = await ann.call('POST', at('/adjustments'), { amount_trx: '-60', why: 'a mistake' })
  expect(asked.body).toMatchObject({ state: 'requested' })
  expect(await market.balanceSun(client)).toBe(before)
  const approve = `/adjustments/${asked.body.id}/approve`
  const own = await ann.call('POST', approve, { why: 'my own' })
  expect([own.status, own.body.detail.message]).toEqual([
    400,
    expect.stringContaining('Somebody else'),
  ])
  expect(await lastAction()).toMatchObject({ what: 'approve_adjustment', done: false })
  const stuck = (await bob.call('GET', '/status')).body.stuck.work
  expect(stuck).toContainEqual(expect.objectContaining({ what: 'adjustments', count: 1 }))
  expect((await bob.call('POST', approve, { why })).body).toMatchObject({
    state: 'booked',
    decided_by: 'bob@example.com',
  })
  expect(await market.balanceSun(client)).toBe(before - 60_000_000n)
  expect((await bob.call('POST', approve, { why })).status).toBe(400)
})

test('ten at once from one operator book no more than the limit', async () => {
  const carl = await openOperator(market, 'carl@example.com')
  const ask = () => carl.call('POST', at('/adjustments'), { amount_trx: '30', why })
  const answers = await Promise.all(Array.from({ length: 10 }, ask))
  const states = answers.map(({ body }) => body.state)
  expect(states.filter((state) => state === 'booked')).toHaveLength(3)
  const waiting = answers.find(({ body }) => body.state === 'requested')!.body.id
  const refused = await ann.call('POST', `/adjustments/${waiting}/refuse`, { why })
  expect(refused.body).toMatchObject({ state: 'refused', decided_by: 'ann@example.com' })
})

test('more than a client has is not taken, and no adjustment is left behind', async () => {
  const dora = await openOperator(market, 'dora@example.com')
  const poor = await market.fundedAccount('1')
  const path = `/accounts/${poor.account_id}/adjustments`
  const answer = await dora.call('POST', path, { amount_trx: '-2', why })
  expect([answer.status, answer.body.detail.message]).toEqual([
    400,
    'Only 1 TRX of this account can be taken.',
  ])
  const rows = await market.database.sql(`select from operator.adjustment where account_id = $1`, [
    poor.account_id,
  ])
  expect(rows).toEqual([])
})

test('accounts are found by id, name and deposit address, and get a discount', async () => {
  const searches = [client.account_id, client.deposit_address]
  for (const text of searches) {
    const { accounts } = (await ann.call('GET', `/accounts?search=${text}`)).body
    expect(accounts.map((one: { id: string }) => one.id)).toEqual([client.account_id])
  }
  const vip = await ann.call('POST', at('/discount'), { basis_points: 500, why })
  expect(vip.body).toMatchObject({ vip_discount_bps: 500 })
  expect((await ann.call('GET', at(''))).body).toMatchObject({
    deposit_address: client.deposit_address,
    vip_discount_bps: 500,
    entries: expect.arrayContaining([expect.objectContaining({ entry_type: 'deposit' })]),
  })
  await ann.call('POST', at('/discount'), { basis_points: 0, why })
})

test('an undecided outcome is decided once, with its effect on the ledger', async () => {
  Object.assign(fake, { behaviour: 'unsure', unitPrice: 10n, capacity: 4_000_000n, minimum: 0n })
  await market.call('POST', '/sandbox/providers/bazaar', { body: { behaviour: 'ok' } })
  await market.rooms.providers.refresh()
  const { order_id } = (await market.buy(client)).body
  const queue = async () => (await ann.call('GET', '/undecided')).body.undecided
  const [one] = await until('the queue', async () => {
    const rows = await queue()
    return rows.length > 0 && rows
  })
  expect(one).toMatchObject({ order_id, provider: 'bazaar', decidable: false })
  const path = `/undecided/${one.id}`
  const early = await ann.call('POST', path, { decision: 'delivered', why })
  expect(early.body.detail.message).toContain('still open')
  await market.advance(125)
  await until('the deadline', async () => (await queue())[0].decidable)
  const { steps, order } = (await ann.call('GET', `/orders/${order_id}`)).body
  expect(order).toMatchObject({ account_id: client.account_id, status: 'FAILED' })
  expect(steps).toMatchObject([{ provider: 'bazaar', attempt_state: 'undecided' }])
  for (const decision of ['delivered', 'absent']) {
    const refused = await ann.call('POST', path, { decision, energy: 20_001, why })
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      { error: 'validation_error', message: expect.stringContaining('a part') },
    ])
  }
  const decided = await ann.call('POST', path, { decision: 'delivered', why: 'they showed it' })
  expect(decided.body).toMatchObject({ decision: 'delivered', booked_trx: '0.65' })
  const movements = await market.database.sql(
    `select kind, amount_sun::int as amount from ledger.movement where reference_id = $1`,
    [one.id],
  )
  expect(movements).toEqual([{ kind: 'provider_goodwill', amount: 650_000 }])
  expect(await lastAction()).toMatchObject({ what: 'decide', done: true, why: 'they showed it' })
  expect(await queue()).toEqual([])
  expect((await bob.call('POST', path, { decision: 'absent', why })).status).toBe(404)
})

test('support pauses an agent, who sees `admin`, and gives it back', async () => {
  const made = await market.call('POST', '/v1/agent/configs', {
    key: client.api_key,
    body: { mode: 'generated', energy_per_unit: 65_000, base_payment_sun: 3_000_000, max_units: 1 },
  })
  expect(made.status).toBe(201)
  const own = `/v1/agent/configs/${made.body.id}`
  const paused = await ann.call('POST', `/agent/configs/${made.body.id}/pause`, { why })
  expect(paused.body).toMatchObject({ status: 'paused', pause_reason: 'admin' })
  const resume = () => market.call('POST', `${own}/resume`, { key: client.api_key })
  expect((await resume()).body.detail).toMatchObject({ error: 'admin_paused' })
  const released = await bob.call('POST', `/agent/configs/${made.body.id}/release`, { why })
  expect(released.body).toMatchObject({ status: 'paused', pause_reason: 'user' })
  expect((await resume()).body).toMatchObject({ status: 'active', pause_reason: null })
})

test('a schedule is previewed with margin and agents at risk, then saved; not over a newer one', async () => {
  await market.rooms.providers.refresh()
  const { schedule: was } = (await ann.call('GET', '/schedule')).body
  const dear = was.map((price: number, hour: number) => (hour === 12 ? 90 : price))
  const effect = (await ann.call('POST', '/schedule/preview', { schedule: dear })).body
  expect(effect.hours[12]).toEqual({
    hour: 12,
    was_sun: was[12],
    price_sun: 90,
    margin_sun: 90 - effect.wholesale_sun,
  })
  expect(effect.agents_at_risk).toMatchObject([
    { account_id: client.account_id, base_payment_sun: 3_000_000, cost_max_sun: 5_850_000 },
  ])
  expect((await ann.call('GET', '/schedule')).body.schedule).toEqual(was)
  const saved = await ann.call('POST', '/schedule', { schedule: dear, was, why })
  expect(saved.body.schedule).toEqual(dear)
  const late = await bob.call('POST', '/schedule', { schedule: was, was, why })
  expect([late.status, late.body.detail.error]).toEqual([409, 'changed_meanwhile'])
  const shown = await second.call('GET', '/v1/public/pricing')
  expect(shown.status).toBe(200)
  await ann.call('POST', '/schedule', { schedule: was, why })
})

test('bounds and the least margin are previewed and saved with the schedule', async () => {
  const { schedule, ...before } = (await ann.call('GET', '/schedule')).body
  const wish = { schedule, min_amount: 70_000, margin_floor_sun: 1_000 }
  const effect = (await ann.call('POST', '/schedule/preview', wish)).body
  expect(effect.hours_below_cost).toBe(24)
  expect(effect.agents_at_risk).toMatchObject([{ outside: true, already: false }])
  expect((await ann.call('GET', '/schedule')).body).toEqual({ schedule, ...before })
  const { min_amount, margin_floor_sun } = before
  const was_bounds = { min_amount, margin_floor_sun }
  const save = (body: object) => ann.call('POST', '/schedule', { schedule, why, ...body })
  const saved = await save({ min_amount: 60_000, margin_floor_sun: 1, was: schedule, was_bounds })
  expect(saved.body).toEqual({ ...before, schedule, min_amount: 60_000, margin_floor_sun: 1 })
  expect((await save({ min_amount: 50_000, was_bounds })).status).toBe(409)
  const upside = await save({ min_amount: 9, max_amount: 8 })
  expect([upside.status, upside.body.detail.error]).toEqual([400, 'validation_error'])
  const [action] = (await ann.call('GET', '/actions?limit=10')).body.actions.filter(
    (one: { done: boolean }) => one.done,
  )
  expect(action.change).toEqual({
    before: { minAmount: String(min_amount), marginFloor: String(margin_floor_sun) },
    after: { minAmount: '60000', marginFloor: '1' },
  })
  await save(before)
})

test('plans are replaced, and a wrong one changes nothing', async () => {
  const { plans } = (await ann.call('GET', '/plans')).body
  const wrong = await ann.call('POST', '/plans', {
    plans: [{ ...plans[0], unit_price_65k_trx: '-1' }],
    why,
  })
  expect(wrong.status).toBe(400)
  const more = [...plans, { ...plans[0], name: 'night', term_days: 30 }]
  const saved = await ann.call('POST', '/plans', { plans: more, why })
  expect(saved.body.plans.map((plan: { name: string }) => plan.name)).toEqual(['standard', 'night'])
})

test('what is delegated comes back within the hours that are shown', async () => {
  const { free_now, hours } = (await ann.call('GET', '/capacity')).body
  expect(hours).toHaveLength(24)
  const back = hours.reduce((sum: number, hour: { returning: number }) => sum + hour.returning, 0)
  expect(hours[23].free).toBe(free_now + back)
})

test('a payout is asked for by one operator and approved by another', async () => {
  for (let block = 0; block < 12; block++) devnet.chain.mine()
  const to = toBase58(devnet.chain.network.funded[2]!.address)
  const asked = await until('verified money', async () => {
    const answer = await ann.call('POST', at('/payouts'), { to, amount_trx: '5', why })
    return answer.status === 200 && answer
  })
  const { id } = asked.body
  const { payouts } = market.rooms.deposits
  const path = `/payouts/${id}/approve`
  expect((await ann.call('POST', path, { why })).status).toBe(422)
  const own = { why, ...(await approvalBody(payouts, id, FIRST)) }
  const forged = { ...own, signature: `00${own.signature.slice(2)}` }
  expect((await ann.call('POST', path, forged)).status).toBe(400)
  // The requester signs too, and still counts as one person.
  expect((await ann.call('POST', path, own)).body).toMatchObject({
    state: 'requested',
    approvals: [{ by: 'ann@example.com', key: FIRST.key }],
  })
  const other = { why, ...(await approvalBody(payouts, id, SECOND)) }
  expect((await bob.call('POST', path, other)).body).toMatchObject({
    state: 'approved',
    approved_by: 'bob@example.com',
    attempt: 1,
  })
  const listed = (await bob.call('GET', '/payouts')).body
  expect(listed.approval).toMatchObject({ chain: devnet.chain.block(0)!.id })
  expect(listed.payouts[0].approvals).toHaveLength(2)
  expect((await bob.call('POST', `/payouts/${id.replace(/.$/, 'x')}/cancel`, { why })).status).toBe(
    404,
  )
})

test('what the auditor found is on the first page', async () => {
  expect((await ann.call('POST', '/findings/check', {})).body).toEqual({ invariant: null })
  expect((await ann.call('GET', '/findings')).body).toEqual({ findings: [] })
})
