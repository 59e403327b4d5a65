// Proves: autoenergy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage } from '../testing/autoenergy.ts'
import { hold } from '../testing/holdAccount.ts'
import { brokenInvariants } from '../testing/invariants.ts'

// Ways to use Energy without paying for it. Each is prevented, and has a test here.

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

async function covered(trx: string, body: Record<string, unknown> = {}) {
  const client = await app.fundedAccount(trx)
  const wallet = app.wallet()
  await app.cover(client, wallet, body)
  return { client, wallet }
}
const amounts = async (client: TestAccount) =>
  (await app.entries(client)).map(({ kind, amount }) => [kind, amount])
const statesOf = async (address: string) =>
  (
    await app.database.sql<{ state: string }>(
      `select state from autoenergy.call where address = $1 order by block_number, position`,
      [address],
    )
  ).map(({ state }) => state)

test('reactivate at zero balance', async () => {
  const { client, wallet } = await covered('14.4')
  await wallet.sendUsdt(await newcomer())
  app.mine()
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'insufficient_balance', tx_used_total: 1 })
  await app.reclaimed(wallet)
  expect((await app.get(client, '/account')).body).toMatchObject({
    balance_trx: '0',
    reserved_trx: '0',
  })
  const { status, body } = await app.act(client, wallet, 'reactivate')
  expect([status, body.error, body.detail.error]).toEqual([
    400,
    'insufficient_balance',
    'insufficient_balance',
  ])
  expect((await app.energy(wallet)).limit).toBe(0n)
})

test('close and send before the reclaim lands', async () => {
  const { client, wallet } = await covered('100')
  await wallet.sendUsdt(app.receivers[9]!)
  expect((await app.act(client, wallet, 'close')).body.status).toBe('closed')
  app.mine()
  await app.reclaimed(wallet)
  expect(await statesOf(wallet.address)).toEqual(['owed'])
  expect(await amounts(client)).toEqual([['autoenergy_activate', -10_000_000]])
  expect(await app.read(client, wallet)).toMatchObject({ tx_used_total: 0 })
  // Another address of the account does not pay for it.
  await app.cover(client, await app.poorWallet(1_000_000))
  expect(await statesOf(wallet.address)).toEqual(['owed'])
  // The debt survives a delete, and is charged first at the next subscribe.
  const path = `/v1/autoenergy/subscriptions/${wallet.address}`
  expect((await app.call('DELETE', path, { key: client.api_key })).status).toBe(204)
  await app.cover(client, wallet)
  expect(await amounts(client)).toEqual([
    ['autoenergy_activate', -10_000_000],
    ['autoenergy_activate', -10_000_000],
    ['autoenergy_unit', -2_200_000],
    ['autoenergy_activate', -10_000_000],
  ])
  expect(await app.read(client, wallet)).toMatchObject({ tx_used_total: 0 })
  expect(await app.read(client, wallet, '/usage')).toHaveLength(1)
})

test('a quota that is overrun in one block: the first are billed, the rest is owed', async () => {
  const { client, wallet } = await covered('100', { quota_max_tx: 1 })
  await wallet.sendUsdt(app.receivers[9]!)
  await wallet.sendUsdt(app.receivers[8]!)
  app.mine()
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'quota', tx_used_total: 1 })
  expect(closed.closed_at).toBe(closed.last_activity_at)
  await app.reclaimed(wallet)
  expect(await statesOf(wallet.address)).toEqual(['billed', 'owed'])
  await app.act(client, wallet, 'reactivate')
  expect(await amounts(client)).toEqual([
    ['autoenergy_activate', -10_000_000],
    ['autoenergy_unit', -2_200_000],
    ['autoenergy_unit', -2_200_000],
  ])
  expect(await app.become(client, wallet, { status: 'active' })).toMatchObject({
    tx_used_total: 0,
    quota_max_tx: 1,
  })
})

test('reactivate while it is being deleted', async () => {
  const { client, wallet } = await covered('100')
  await app.act(client, wallet, 'close')
  await app.reclaimed(wallet)
  // After the read of the subscription and before the lock on it.
  const late = { text: 'lock table autoenergy.switch in access exclusive mode', values: [] }
  await hold(app.database, late, async ({ inFlight, commit }) => {
    const answer = app.act(client, wallet, 'reactivate')
    await inFlight()
    await app.database.sql(
      `update autoenergy.subscription set deleted_at = created_at where address = $1`,
      [wallet.address],
    )
    await commit()
    const { status, body } = await answer
    expect([status, body.detail.error]).toEqual([404, 'not_found'])
  })
  expect(await amounts(client)).toEqual([['autoenergy_activate', -10_000_000]])
})

test('close before each day is due', async () => {
  const { client, wallet } = await covered('100')
  await app.advance(23 * 3_600)
  await app.act(client, wallet, 'close')
  await app.reclaimed(wallet)
  await app.advance(2 * 3_600)
  await app.act(client, wallet, 'reactivate')
  await app.become(client, wallet, { status: 'active' })
  expect(await amounts(client)).toEqual([
    ['autoenergy_activate', -10_000_000],
    ['autoenergy_daily', -1_000_000],
  ])
})

test('end at the last moment of a paid day, and come back: each day is paid', async () => {
  const [client, wallet] = [await app.fundedAccount('100'), await app.poorWallet(1_000_000)]
  await app.cover(client, wallet)
  for (const days of [1, 2]) {
    await app.advance(24 * 3_600 + 60)
    const closed = await app.become(client, wallet, { status: 'closed' })
    expect(closed.close_reason).toBe('idle')
    await app.reclaimed(wallet)
    await app.act(client, wallet, 'reactivate')
    await app.become(client, wallet, { status: 'active' })
    const paid = Array(days).fill(['autoenergy_daily', -1_000_000])
    expect(await amounts(client)).toEqual([['autoenergy_activate', -10_000_000], ...paid])
  }
})

test('drain by calls that fail on their own fee_limit', async () => {
  const { client, wallet } = await covered('100')
  // 30,000 Energy: less than the transfer needs, so it fails and uses all of it.
  await wallet.sendUsdt(app.receivers[9]!, { feeLimit: 3_000_000 })
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  const [used] = await app.read(client, wallet, '/usage')
  expect(used).toMatchObject({ energy_class: '65k', energy_used: 30_000, billed_trx: '2.2' })
})

test('two transfers in one block where the second burned', async () => {
  const { client, wallet } = await covered('100')
  await wallet.sendUsdt(await newcomer())
  await wallet.sendUsdt(await newcomer())
  app.mine()
  await app.become(client, wallet, { tx_used_total: 2 })
  const usage = await app.read(client, wallet, '/usage')
  expect(usage.map((item: { energy_class: string }) => item.energy_class)).toEqual(['65k', '131k'])
  await app.whole(wallet)
  // A small call that found less Energy than it needs costs nothing.
  await wallet.sendUsdt(await newcomer())
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await app.become(client, wallet, { tx_used_total: 3 })
  expect(await statesOf(wallet.address)).toEqual(['billed', 'billed', 'billed', 'free'])
})

test('a call that ran out of Energy because ours was short is not billed', async () => {
  const client = await app.fundedAccount('100')
  // The bandwidth of the second transfer takes all its TRX, so none is left to burn for Energy.
  const wallet = await app.poorWallet(345_000)
  await app.cover(client, wallet)
  await wallet.sendUsdt(await newcomer())
  await wallet.sendUsdt(await newcomer())
  app.mine()
  await app.become(client, wallet, { tx_used_total: 1 })
  expect(await statesOf(wallet.address)).toEqual(['billed', 'free'])
  const [free] = await app.database.sql(
    `select result, burned_sun::int as burned from autoenergy.call where address = $1 and state = 'free'`,
    [wallet.address],
  )
  expect(free).toEqual({ result: 'OUT_OF_ENERGY', burned: 0 })
  expect((await amounts(client)).at(-1)).toEqual(['autoenergy_unit', -4_400_000])
})

test('send while the activation is pending, in every block', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.rooms.autoenergy.loops[0]!.stop()
  expect((await app.subscribe(client, wallet)).status).toBe(201)
  await app.whole(wallet)
  // The level is reached and not measured yet: the client sees it on the chain and sends.
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await app.scanned()
  app.rooms.autoenergy.loops[0]!.start()
  await app.become(client, wallet, { status: 'active', tx_used_total: 1 })
  expect(await statesOf(wallet.address)).toEqual(['billed'])
})

test('one SUN short of charge and reserve: nothing happens', async () => {
  const wallet = app.wallet()
  const poor = await app.fundedAccount('14.399999')
  const refused = await app.subscribe(poor, wallet)
  expect([refused.status, refused.body.detail]).toMatchObject([
    400,
    { error: 'insufficient_balance', current_balance: 14_399_999, required_amount: 14_400_000 },
  ])
  expect(await app.entries(poor)).toEqual([])
  // Refused completely: another account can subscribe the address.
  const rich = await app.fundedAccount('14.4')
  await app.cover(rich, wallet)
  expect((await app.get(rich, '/account')).body).toMatchObject({
    balance_trx: '4.4',
    reserved_trx: '4.4',
  })
  const spent = await app.buy(rich, { body: { resource_amount: 32_000 } })
  expect([spent.status, spent.body.detail.error]).toEqual([400, 'insufficient_balance'])
})

test('one SUN short of the next reserve: billed from this one, and closed', async () => {
  const { client, wallet } = await covered('16.599999')
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'insufficient_balance', tx_used_total: 1 })
  expect(closed.closed_at).toBe(closed.last_activity_at)
  await app.reclaimed(wallet)
  expect((await app.get(client, '/account')).body).toMatchObject({
    balance_trx: '4.399999',
    reserved_trx: '0',
  })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
