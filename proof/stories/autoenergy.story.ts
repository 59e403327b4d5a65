// Proves: autoenergy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { until } from '../testing/until.ts'

// A client subscribes an address once; its USDT transfers find Energy there and are billed by size.

let app: Coverage
let client: TestAccount
let wallet: Wallet
let holder: Wallet

beforeAll(async () => {
  app = await openCoverage()
  wallet = app.wallet()
  holder = app.wallet()
  client = await app.fundedAccount('100')
})
afterAll(() => app.close())

const account = async () => (await app.get(client, '/account')).body
const billed = (total: number) => app.become(client, wallet, { tx_used_total: total })

test('subscribe charges the activation, reserves one large unit, and is active when the Energy is there', async () => {
  const { status, body } = await app.subscribe(client, wallet)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    address: wallet.address,
    status: 'pending_activation',
    plan: {
      activation_fee_trx: '10',
      daily_sub_trx: '1',
      unit_price_65k_trx: '2.2',
      unit_price_131k_trx: '4.4',
    },
    tx_used_total: 0,
    quota_max_tx: null,
    idle_hours: 24,
    expire_at: null,
    activated_at: null,
    closed_at: null,
    close_reason: null,
  })
  expect(await account()).toMatchObject({ balance_trx: '90', reserved_trx: '4.4' })
  const active = await app.become(client, wallet, { status: 'active' })
  expect(active.activated_at).not.toBeNull()
  expect((await app.energy(wallet)).available).toBeGreaterThanOrEqual(131_000n)
  expect(await app.events(client, 'autoenergy.activated')).toEqual([
    { data: { subscription_id: active.id, address: wallet.address } },
  ])
})

test('USDT to a holder is billed as 65k, once, and the Energy is whole within two blocks', async () => {
  const txid = await wallet.sendUsdt(holder.address)
  app.mine()
  const after = app.devnet.chain.head.number
  expect((await app.energy(wallet)).available).toBeLessThan(131_000n)
  await until('the top-up is in the pool', () => app.devnet.chain.pool.size > 0)
  app.mine()
  expect((await app.energy(wallet)).available).toBeGreaterThanOrEqual(131_000n)
  expect(app.devnet.chain.head.number).toBe(after + 1)
  const now = await billed(1)
  expect(now).toMatchObject({ energy_used: 64_285, burn_cost_trx: '6.4285', saved_trx: '4.2285' })
  const usage = await app.read(client, wallet, '/usage')
  expect(usage).toEqual([
    {
      energy_class: '65k',
      used_tx_id: txid,
      billed_sun: 2_200_000,
      billed_trx: '2.2',
      occurred_at: now.last_activity_at,
      run: 1,
      energy_used: 64_285,
      burn_cost_trx: '6.4285',
      saved_trx: '4.2285',
    },
  ])
  const info = await wallet.tronWeb.trx.getUnconfirmedTransactionInfo(txid)
  expect(info.receipt.energy_fee ?? 0).toBe(0)
})

test('USDT to a fresh address is billed as 131k, once', async () => {
  const txid = await wallet.sendUsdt(await newcomer())
  app.mine()
  const now = await billed(2)
  const usage = await app.read(client, wallet, '/usage')
  expect(usage).toHaveLength(2)
  expect(usage[0]).toMatchObject({ energy_class: '131k', used_tx_id: txid, billed_trx: '4.4' })
  expect(await account()).toMatchObject({ balance_trx: '83.4', reserved_trx: '4.4' })
  const [first, second] = await app.events(client, 'autoenergy.delegated')
  expect(first.data).toMatchObject({ energy_class: '65k', billed_sun: 2_200_000, tx_used_total: 1 })
  expect(second.data).toEqual({
    subscription_id: now.id,
    address: wallet.address,
    energy_class: '131k',
    billed_sun: 4_400_000,
    used_tx_id: txid,
    tx_used_total: 2,
    quota_max_tx: null,
  })
  await app.whole(wallet)
})

test('the charges are in /billing and in /transactions', async () => {
  const billing = await app.read(client, wallet, '/billing')
  expect(
    billing.map((item: { kind: string; amount_trx: string }) => [item.kind, item.amount_trx]),
  ).toEqual([
    ['autoenergy_unit', '4.4'],
    ['autoenergy_unit', '2.2'],
    ['autoenergy_activate', '10'],
  ])
  const { transactions } = (await app.get(client, '/transactions')).body
  expect(
    transactions.map((entry: { entry_type: string; amount_trx: string }) => [
      entry.entry_type,
      entry.amount_trx,
    ]),
  ).toEqual([
    ['autoenergy_unit', '-4.4'],
    ['autoenergy_unit', '-2.2'],
    ['autoenergy_activate', '-10'],
    ['deposit', '100'],
  ])
})

test('close stops at once; the Energy goes back and the reserve is free', async () => {
  const closed = (await app.act(client, wallet, 'close')).body
  expect(closed).toMatchObject({ status: 'closed', close_reason: 'manual' })
  expect((await account()).reserved_trx).toBe('4.4')
  await app.reclaimed(wallet)
  expect((await app.energy(wallet)).limit).toBe(0n)
  expect((await account()).reserved_trx).toBe('0')
  expect(await app.events(client, 'autoenergy.closed')).toEqual([
    {
      data: {
        subscription_id: closed.id,
        address: wallet.address,
        close_reason: 'manual',
        tx_used_total: 2,
      },
    },
  ])
})

test('reactivate within the paid day is free, and counts anew', async () => {
  const before = (await account()).balance_trx
  const again = await app.act(client, wallet, 'reactivate')
  expect([again.status, again.body.tx_used_total]).toEqual([200, 0])
  await app.become(client, wallet, { status: 'active' })
  expect(await account()).toMatchObject({ balance_trx: before, reserved_trx: '4.4' })
})

test('delete removes a closed subscription', async () => {
  const path = `/v1/autoenergy/subscriptions/${wallet.address}`
  const early = await app.call('DELETE', path, { key: client.api_key })
  expect([early.status, early.body.error, early.body.detail.error]).toEqual([
    409,
    'not_deletable',
    'not_deletable',
  ])
  await app.act(client, wallet, 'close')
  const deleted = await app.call('DELETE', path, { key: client.api_key })
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await app.get(client, '/autoenergy/subscriptions')).body).toEqual([])
  expect((await app.call('GET', path, { key: client.api_key })).status).toBe(404)
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
