// Proves: autoenergy.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage, type Wallet } from '../testing/autoenergy.ts'

// The error rows of the AutoEnergy API, each with its code in both places of the body.

let app: Coverage
let client: TestAccount
let other: TestAccount
let wallet: Wallet
const base = '/v1/autoenergy/subscriptions'
beforeAll(async () => {
  app = await openCoverage()
  client = await app.fundedAccount('1000')
  other = await app.fundedAccount('1000')
  wallet = app.wallet()
  await app.cover(client, wallet)
})
afterAll(() => app.close())

const post = (body: unknown, account = client) =>
  app.call('POST', base, { key: account.api_key, body })

function expectRefused(answer: Answer, status: number, error: string, extra = {}) {
  const { detail, ...top } = answer.body
  expect([answer.status, top]).toEqual([
    status,
    { error, message: expect.stringMatching(/\S/), ...extra },
  ])
  expect(detail).toEqual(top)
}

test('201 takes the defaults, and every field of the subscription is there', async () => {
  const { status, body } = await post({ address: app.receivers[5], quota_max_tx: 7 })
  expect(status).toBe(201)
  expect(Object.keys(body).sort()).toEqual(
    [
      'activated_at',
      'address',
      'burn_cost_trx',
      'close_reason',
      'closed_at',
      'created_at',
      'daily_budget_trx',
      'energy_used',
      'expire_at',
      'forecast_month_trx',
      'id',
      'idle_hours',
      'last_activity_at',
      'monthly_budget_trx',
      'owed_trx',
      'paused_until',
      'plan',
      'quota_max_tx',
      'run',
      'saved_trx',
      'spent_this_month_trx',
      'spent_today_trx',
      'status',
      'tx_used_total',
    ].sort(),
  )
  expect(body).toMatchObject({ idle_hours: 24, quota_max_tx: 7, plan: { name: 'standard' } })
})

test.each([
  ['idle_hours 0', { idle_hours: 0 }, 'enum'],
  ['idle_hours 23', { idle_hours: 23 }, 'enum'],
  ['idle_hours 25', { idle_hours: 25 }, 'enum'],
  ['idle_hours as text', { idle_hours: '24' }, 'int_type'],
  ['idle_hours null', { idle_hours: null }, 'int_type'],
  ['quota 0', { quota_max_tx: 0 }, 'greater_than_equal'],
  ['quota below 0', { quota_max_tx: -1 }, 'greater_than_equal'],
  ['quota as text', { quota_max_tx: '5' }, 'int_type'],
  ['quota 1.5', { quota_max_tx: 1.5 }, 'int_type'],
  ['budget 0', { daily_budget_trx: '0' }, 'string_pattern'],
  ['budget 0.000', { monthly_budget_trx: '0.000' }, 'string_pattern'],
  ['budget below 0', { daily_budget_trx: '-1' }, 'string_pattern'],
  ['budget of 7 places', { monthly_budget_trx: '0.0000001' }, 'string_pattern'],
  ['budget that is not a number', { daily_budget_trx: '1e3' }, 'string_pattern'],
  ['budget as a number', { daily_budget_trx: 5 }, 'string_type'],
  ['no address', { address: undefined }, 'missing'],
  ['address of another type', { address: 5 }, 'string_type'],
  ['plan of another type', { plan: 5 }, 'string_type'],
])('422 with a list of faults: %s', async (_what, change, type) => {
  const { status, body } = await post({ address: app.receivers[6], ...change })
  expect(status).toBe(422)
  expect(body.detail.map((fault: { type: string }) => fault.type)).toContain(type)
  expect(body.detail[0].loc).toEqual(['body', Object.keys(change)[0]])
})

test('quota_max_tx null is no cap, as when it is left out', async () => {
  const rich = await app.fundedAccount('100')
  const address = app.receivers[9]
  const { status, body } = await post({ address, quota_max_tx: null }, rich)
  expect([status, body.quota_max_tx]).toEqual([201, null])
})

test('a budget is optional, null is none, and its text comes back in the canonical form', async () => {
  const rich = await app.fundedAccount('100')
  const none = { daily_budget_trx: null, monthly_budget_trx: null, paused_until: null }
  expect(await app.read(client, wallet)).toMatchObject(none)
  const budgets = { daily_budget_trx: '5.50', monthly_budget_trx: null }
  const { status, body } = await post({ address: app.receivers[3], ...budgets }, rich)
  expect(status).toBe(201)
  expect(body).toMatchObject({ ...none, daily_budget_trx: '5.5', spent_today_trx: '0' })
})

test('422 invalid_address: not an address, not activated, a contract, one of ours', async () => {
  const contract = toBase58(app.devnet.chain.network.usdt)
  const wrong = ['', 'T', 'nonsense', `${wallet.address}x`, wallet.address.toLowerCase()]
  const unusable = [await newcomer(), contract, client.deposit_address]
  for (const address of [...wrong, ...unusable]) {
    expectRefused(await post({ address }), 422, 'invalid_address')
  }
})

test('400 plan_not_found', async () => {
  const answer = await post({ address: app.receivers[6], plan: 'golden' })
  expectRefused(answer, 400, 'plan_not_found')
})

test('400 insufficient_balance carries a message, both amounts and what is owed', async () => {
  const poor = await app.newAccount()
  const answer = await post({ address: app.receivers[6] }, poor)
  const amounts = { current_balance: 0, required_amount: 14_400_000, owed_trx: '0' }
  expectRefused(answer, 400, 'insufficient_balance', amounts)
  const nearly = 'update ledger.account set balance_sun = 1 where id = $1'
  await app.database.sql(nearly, [poor.account_id])
  const again = await post({ address: app.receivers[6] }, poor)
  expectRefused(again, 400, 'insufficient_balance', { ...amounts, current_balance: 1 })
})

test('409 address_exists for an active one; its status is told to its owner alone', async () => {
  const own = await post({ address: wallet.address })
  expectRefused(own, 409, 'address_exists', { status: 'active' })
  expectRefused(await post({ address: wallet.address }, other), 409, 'address_exists')
})

test('409 address_busy while pending, while the Energy is not back; then address_exists', async () => {
  const mine = app.receivers[7]!
  expect((await post({ address: mine })).status).toBe(201)
  const busy = { status: 'pending_activation' }
  expectRefused(await post({ address: mine }), 409, 'address_busy', busy)
  expectRefused(await post({ address: mine }, other), 409, 'address_busy')
  const act = (verb: string) => app.call('POST', `${base}/${mine}/${verb}`, { key: client.api_key })
  expectRefused(await act('close'), 409, 'address_busy', busy)
  expectRefused(await act('reactivate'), 409, 'address_busy', busy)
  const target = { address: mine } as Wallet
  await app.become(client, target, { status: 'active' })
  expectRefused(await act('reactivate'), 409, 'not_reactivatable')
  expect((await act('close')).body.status).toBe('closed')
  expectRefused(await post({ address: mine }, other), 409, 'address_busy')
  expectRefused(await act('reactivate'), 409, 'address_busy', { status: 'closed' })
  await app.reclaimed(target)
  expectRefused(await post({ address: mine }), 409, 'address_exists', { status: 'closed' })
  // Closing twice changes nothing.
  const [once, twice] = [await act('close'), await act('close')]
  expect([once.status, once.text]).toEqual([200, twice.text])
  // Nobody covers it now, so somebody else may; then it cannot be reactivated here.
  expect((await post({ address: mine }, other)).status).toBe(201)
  expectRefused(await act('reactivate'), 409, 'not_reactivatable')
})

test('the same address by two accounts at once: one of them has it', async () => {
  const address = app.receivers[8]!
  const answers = await Promise.all(
    [client, other, client, other].map((who) => post({ address }, who)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  const rows = await app.database.sql(
    `select from autoenergy.subscription where address = $1 and live`,
    [address],
  )
  expect(rows).toHaveLength(1)
})

test('409 not_deletable while it is not closed', async () => {
  const path = `${base}/${wallet.address}`
  const answer = await app.call('DELETE', path, { key: client.api_key })
  expectRefused(answer, 409, 'not_deletable', { status: 'active' })
})

test('404 not_found: unknown, malformed, in another case, and somebody else’s are one answer', async () => {
  const paths = [app.receivers[4], 'nonsense', wallet.address.toLowerCase(), '%00', '%F0%9F']
  for (const rest of ['', '/usage', '/billing']) {
    const seen = new Set<string>()
    for (const name of paths.slice(0, 4)) {
      const answer = await app.call('GET', `${base}/${name}${rest}`, { key: client.api_key })
      expectRefused(answer, 404, 'not_found')
      seen.add(answer.text)
    }
    const foreign = `${base}/${wallet.address}${rest}`
    seen.add((await app.call('GET', foreign, { key: other.api_key })).text)
    expect(seen.size).toBe(1)
  }
})

test('422 for a page that is none', async () => {
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'limit=x']) {
    const path = `${base}/${wallet.address}/usage?${query}`
    expect((await app.call('GET', path, { key: client.api_key })).status).toBe(422)
  }
})

test('billing is paged, newest first', async () => {
  const all = await app.read(client, wallet, '/billing?limit=1')
  expect(all).toEqual([
    {
      kind: 'autoenergy_activate',
      amount_trx: '10',
      owed_trx: '0',
      at: expect.stringMatching(/Z$/),
      run: 1,
    },
  ])
  expect(await app.read(client, wallet, '/billing?offset=1')).toEqual([])
})

test('503 autoenergy_temporarily_unavailable while it is switched off; what runs goes on', async () => {
  await app.settings({ autoenergy_enabled: false })
  const refused = await post({ address: app.receivers[6] })
  expectRefused(refused, 503, 'autoenergy_temporarily_unavailable')
  expect((await app.read(client, wallet)).status).toBe('active')
  await app.settings({ autoenergy_enabled: true })
})

test('503 autoenergy_temporarily_unavailable when the pool has no room', async () => {
  const taken = app.rooms.providers.takeOff('own_stake', 600_000_000n)
  const refused = await post({ address: app.receivers[6], plan: 'standard' })
  taken.putBack()
  expectRefused(refused, 503, 'autoenergy_temporarily_unavailable')
})

test('502 fulfiller_unavailable: the pool, and the node', async () => {
  await app.provider({ behaviour: 'down' })
  const pool = await post({ address: app.receivers[6] })
  await app.provider({ behaviour: 'ok' })
  expectRefused(pool, 502, 'fulfiller_unavailable')
  app.devnet.faults.set({ http_status: 500 })
  const node = await post({ address: app.receivers[6] })
  app.devnet.faults.set({})
  expectRefused(node, 502, 'fulfiller_unavailable')
})

test('activation that fails: the fee comes back, and the address is free again', async () => {
  await app.provider({ behaviour: 'fail' })
  const who = await app.fundedAccount('20')
  const target = { address: app.receivers[6]! } as Wallet
  expect((await post({ address: target.address }, who)).status).toBe(201)
  await app.advance(130)
  const failed = await app.become(who, target, { status: 'closed' })
  expect(failed).toMatchObject({ close_reason: 'activation_failed', activated_at: null })
  await app.reclaimed(target)
  expect((await app.get(who, '/account')).body).toMatchObject({
    balance_trx: '20',
    reserved_trx: '0',
  })
  const billing = await app.read(who, target, '/billing')
  expect(billing.map((item: { amount_trx: string }) => item.amount_trx)).toEqual(['-10', '10'])
  await app.provider({ behaviour: 'ok' })
  // What came back is charged again when it is tried again.
  await app.act(who, target, 'reactivate')
  await app.become(who, target, { status: 'active' })
  expect((await app.get(who, '/account')).body.balance_trx).toBe('10')
})

test('401 without a key, 405 for another method', async () => {
  expect((await app.call('GET', base)).status).toBe(401)
  expect((await app.call('PATCH', base, { key: client.api_key, body: {} })).status).toBe(405)
})
