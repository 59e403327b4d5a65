// Proves: autoenergy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A subscription shows its current run; usage, charges and debts name the run they belong to.

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

type Case = { client: TestAccount; wallet: Wallet }
type Item = Record<string, unknown>

async function covered(trx: string, body: Record<string, unknown> = {}): Promise<Case> {
  const client = await app.fundedAccount(trx)
  const wallet = app.wallet()
  await app.cover(client, wallet, body)
  return { client, wallet }
}

/** A transfer after the close, on Energy that is not reclaimed yet: a debt. */
async function owing(trx: string): Promise<Case> {
  const { client, wallet } = await covered(trx)
  await wallet.sendUsdt(app.receivers[9]!)
  expect((await app.act(client, wallet, 'close')).body).toMatchObject({ owed_trx: '0' })
  app.mine()
  await app.reclaimed(wallet)
  return { client, wallet }
}

async function topUp({ client }: Case, sun: number): Promise<void> {
  const before = await app.balanceSun(client)
  const from = app.receivers.at(-1)
  const body = { from, to: client.deposit_address, amount_sun: sun }
  await app.call('POST', '/sandbox/chain/transfer', { body })
  app.mine()
  await until('the deposit', async () => (await app.balanceSun(client)) > before)
}

const usage = async ({ client, wallet }: Case) =>
  (await app.read(client, wallet, '/usage')).map(({ energy_class, run }: Item) => [
    energy_class,
    run,
  ])
const billing = async ({ client, wallet }: Case) =>
  (await app.read(client, wallet, '/billing')).map((item: Item) => [
    item.kind,
    item.amount_trx,
    item.owed_trx,
    item.run,
  ])
const NOTHING_YET = {
  tx_used_total: 0,
  energy_used: 0,
  burn_cost_trx: '0',
  saved_trx: '0',
  last_activity_at: null,
  owed_trx: '0',
}

test('every counter begins anew with a run; usage and billing keep all runs', async () => {
  const it = await covered('100')
  const { client, wallet } = it
  await wallet.sendUsdt(await newcomer())
  app.mine()
  const first = await app.become(client, wallet, { tx_used_total: 1 })
  expect(first).toMatchObject({ run: 1, energy_used: 130_285, burn_cost_trx: '13.0285' })
  const closed = (await app.act(client, wallet, 'close')).body
  expect(closed).toMatchObject({ run: 1, tx_used_total: 1, energy_used: 130_285, owed_trx: '0' })
  await app.reclaimed(wallet)
  const again = (await app.act(client, wallet, 'reactivate')).body
  expect(again).toMatchObject({ ...NOTHING_YET, run: 2 })
  await app.become(client, wallet, { status: 'active' })
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  const second = await app.become(client, wallet, { tx_used_total: 1 })
  expect(second).toMatchObject({
    run: 2,
    energy_used: 64_285,
    burn_cost_trx: '6.4285',
    saved_trx: '4.2285',
  })
  // The forecast follows the clock.
  const forecast_month_trx = expect.any(String)
  expect((await app.get(client, '/autoenergy/subscriptions')).body).toEqual([
    { ...second, forecast_month_trx },
  ])
  expect(await usage(it)).toEqual([
    ['65k', 2],
    ['131k', 1],
  ])
  expect(await billing(it)).toEqual([
    ['autoenergy_unit', '2.2', '0', 2],
    ['autoenergy_unit', '4.4', '0', 1],
    ['autoenergy_activate', '10', '0', 1],
  ])
})

test('what is owed is shown, refused and charged; its call stays in the run whose Energy it used', async () => {
  const it = await owing('14.4')
  const { client, wallet } = it
  const closed = await app.read(client, wallet)
  expect(closed).toMatchObject({ ...NOTHING_YET, run: 1, owed_trx: '2.2' })
  expect((await app.get(client, '/autoenergy/subscriptions')).body).toEqual([closed])
  expect((await app.act(client, wallet, 'close')).body).toEqual(closed)
  expect([await usage(it), await billing(it)]).toEqual([
    [],
    [['autoenergy_activate', '10', '0', 1]],
  ])

  const refused = await app.act(client, wallet, 'reactivate')
  const fields = { current_balance: 4_400_000, required_amount: 6_600_000, owed_trx: '2.2' }
  expect([refused.status, refused.body]).toMatchObject([400, { ...fields, detail: fields }])
  expect(refused.body.message).toContain('2.2 TRX are owed')

  await topUp(it, 2_200_000)
  const again = await app.act(client, wallet, 'reactivate')
  expect([again.status, again.body]).toMatchObject([200, { ...NOTHING_YET, run: 2 }])
  expect(await usage(it)).toEqual([['65k', 1]])
  expect((await billing(it))[0]).toEqual(['autoenergy_unit', '2.2', '2.2', 2])
  expect(await app.become(client, wallet, { status: 'active' })).toMatchObject(NOTHING_YET)
})

test('a paid debt is no activity of the run that paid it', async () => {
  const it = await owing('100')
  const { client, wallet } = it
  await app.act(client, wallet, 'reactivate')
  await app.become(client, wallet, { status: 'active' })
  app.mine(SOLID_LAG + 1)
  const txid = await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await until('billed', async () => (await app.read(client, wallet)).tx_used_total === 1)
  app.devnet.chain.reorg(1, new Set([txid]))
  await app.scanned()
  await app.advance(120)
  expect(await app.become(client, wallet, { tx_used_total: 0 })).toMatchObject(NOTHING_YET)
  expect(await billing(it)).toEqual([
    ['autoenergy_unit', '-2.2', '0', 2],
    ['autoenergy_unit', '2.2', '0', 2],
    ['autoenergy_unit', '2.2', '2.2', 2],
    ['autoenergy_activate', '10', '0', 1],
  ])
})

test('what a deleted subscription owes is in the refusal of subscribe, and is paid by the next one', async () => {
  const it = await owing('16')
  const { client, wallet } = it
  const path = `/v1/autoenergy/subscriptions/${wallet.address}`
  expect((await app.call('DELETE', path, { key: client.api_key })).status).toBe(204)
  const refused = await app.subscribe(client, wallet)
  const fields = { current_balance: 6_000_000, required_amount: 16_600_000, owed_trx: '2.2' }
  expect([refused.status, refused.body]).toMatchObject([400, { ...fields, detail: fields }])
  // Another account owes nothing for the address.
  const other = await app.subscribe(await app.newAccount(), wallet)
  expect(other.body).toMatchObject({ error: 'insufficient_balance', owed_trx: '0' })
  expect(other.body.message).not.toContain('owed')

  await topUp(it, 10_600_000)
  expect((await app.subscribe(client, wallet)).body).toMatchObject({ ...NOTHING_YET, run: 1 })
  // Its Energy was used in no run of this subscription.
  expect(await usage(it)).toEqual([['65k', 0]])
  // Both were charged at the same moment, so their order is not fixed.
  expect((await billing(it)).sort()).toEqual([
    ['autoenergy_activate', '10', '0', 1],
    ['autoenergy_unit', '2.2', '2.2', 1],
  ])
  expect(await app.become(client, wallet, { status: 'active' })).toMatchObject(NOTHING_YET)
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
