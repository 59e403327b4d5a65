// Proves: autoenergy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, newcomer, openCoverage } from '../testing/autoenergy.ts'
import { until } from '../testing/until.ts'

// What the AutoEnergy API shows of a subscription, and how it says that something is not there or broken.

const DAY = 86_400
const base = '/v1/autoenergy/subscriptions'
let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

test('the list is an array, newest first, with the counters of this moment', async () => {
  const client = await app.fundedAccount('100')
  const [older, newer] = [app.wallet(), app.wallet()]
  await app.cover(client, older)
  await app.cover(client, newer)
  await older.sendUsdt(app.receivers[9]!)
  app.mine()
  const used = await app.become(client, older, { tx_used_total: 1 })
  const { body } = await app.get(client, '/autoenergy/subscriptions')
  expect(body.map(({ address }: { address: string }) => address)).toEqual([
    newer.address,
    older.address,
  ])
  // The forecast follows the clock.
  expect(body[1]).toEqual({ ...used, forecast_month_trx: expect.any(String) })
  expect(body[0]).toMatchObject({ status: 'active', tx_used_total: 0, last_activity_at: null })
})

test('billing names activation, unit and day, and the ledger has the same charges', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.cover(client, wallet, { idle_hours: 72 })
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  await app.advance(DAY + 60)
  const kinds = ['autoenergy_daily', 'autoenergy_unit', 'autoenergy_activate']
  const billing = await until('the day is billed', async () => {
    const items = await app.read(client, wallet, '/billing')
    return items.length === 3 && items
  })
  expect(billing).toMatchObject([
    { kind: kinds[0], amount_trx: '1', at: expect.stringMatching(/Z$/) },
    { kind: kinds[1], amount_trx: '2.2', at: expect.stringMatching(/Z$/) },
    { kind: kinds[2], amount_trx: '10', at: expect.stringMatching(/Z$/) },
  ])
  const { transactions } = (await app.get(client, '/transactions')).body
  expect(transactions.map(({ entry_type }: { entry_type: string }) => entry_type)).toEqual([
    ...kinds,
    'deposit',
  ])
})

test('autoenergy.closed is told once for idle, expired and insufficient_balance', async () => {
  const plan = {
    activation_fee_trx: '10',
    daily_sub_trx: '1',
    unit_price_65k_trx: '2.2',
    unit_price_131k_trx: '4.4',
  }
  const standard = { ...plan, name: 'standard' }
  await app.settings({ plans: [standard, { ...plan, name: 'short', term_days: 1 }] })
  const cover = async (trx: string, body: Record<string, unknown>) => {
    const client = await app.fundedAccount(trx)
    const wallet = app.wallet()
    await app.cover(client, wallet, body)
    return { client, wallet }
  }
  const poor = await cover('14.4', {})
  await poor.wallet.sendUsdt(await newcomer())
  app.mine()
  const closes = [
    { ...poor, close_reason: 'insufficient_balance' },
    { ...(await cover('50', { plan: 'short', idle_hours: 72 })), close_reason: 'expired' },
    { ...(await cover('50', { idle_hours: 24 })), close_reason: 'idle' },
  ]
  await app.advance(DAY + 60)
  for (const { client, wallet, close_reason } of closes) {
    const closed = await app.become(client, wallet, { status: 'closed', close_reason })
    expect(await app.events(client, 'autoenergy.closed')).toEqual([
      {
        data: {
          subscription_id: closed.id,
          address: wallet.address,
          close_reason,
          tx_used_total: closed.tx_used_total,
        },
      },
    ])
  }
  await app.settings({ plans: [standard] })
})

test('404 not_found for close, reactivate and delete, with the code in both places', async () => {
  const { api_key: key } = await app.newAccount()
  for (const [method, rest] of [
    ['POST', '/close'],
    ['POST', '/reactivate'],
    ['DELETE', ''],
  ] as const) {
    for (const address of [app.receivers[9], 'nonsense']) {
      const answer = await app.call(method, `${base}/${address}${rest}`, { key })
      const { detail, ...top } = answer.body
      const said = { error: 'not_found', message: expect.stringMatching(/\S/) }
      expect([method, rest, answer.status, top]).toEqual([method, rest, 404, said])
      expect(detail).toEqual(top)
    }
  }
})

test('500 internal_error carries message, with the code in both places, and charges nothing', async () => {
  const client = await app.fundedAccount('50')
  const { address } = app.wallet()
  await app.database.sql('alter table autoenergy.subscription rename to hidden')
  const answer = await app.call('POST', base, { key: client.api_key, body: { address } })
  await app.database.sql('alter table autoenergy.hidden rename to subscription')
  const { detail, ...top } = answer.body
  expect([answer.status, top]).toEqual([
    500,
    { error: 'internal_error', message: expect.stringMatching(/\S/) },
  ])
  expect(detail).toEqual(top)
  expect((await app.get(client, '/account')).body.balance_trx).toBe('50')
})
