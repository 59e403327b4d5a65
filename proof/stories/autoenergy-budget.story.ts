// Proves: autoenergy, delivery.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A budget that is used up pauses cover until the day or the month is over; the subscription stays active.

const HOUR = 3_600
const DAY = 24 * HOUR
let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
  // Noon of the third of a month: no test crosses the end of a day or of a month by accident.
  const now = await clock()
  const noon = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 3, 12))
  await app.advance(Math.ceil((noon.getTime() - now.getTime()) / 1_000))
})
afterAll(() => app.close())

type Case = { client: TestAccount; wallet: Wallet; active: Record<string, string> }

const clock = async () => new Date((await app.call('GET', '/sandbox/clock')).body.now)
const read = ({ client, wallet }: Case) => app.read(client, wallet)
const account = async ({ client }: Case) => (await app.get(client, '/account')).body
const kinds = async ({ client }: Case) => (await app.entries(client)).map(({ kind }) => kind)
const budgetEvents = async ({ client }: Case, name: 'near' | 'reached') =>
  (await app.events(client, `autoenergy.budget_${name}`)).map(({ data }) => data)

async function covered(trx: string, body: Record<string, unknown>): Promise<Case> {
  const client = await app.fundedAccount(trx)
  const wallet = app.wallet()
  const active = await app.cover(client, wallet, { idle_hours: 24, ...body })
  return { client, wallet, active }
}

/** A transfer that is mined and billed; returns the subscription. */
async function sent(it: Case, billed: number) {
  await it.wallet.sendUsdt(app.receivers[9]!)
  return app.become(it.client, it.wallet, { tx_used_total: billed })
}

const energyGone = ({ wallet }: Case) =>
  until('the Energy is reclaimed', async () => {
    if ((await app.energy(wallet)).limit === 0n) return true
    await app.mineWhenRead()
    return false
  })

/** Moves the clock to this moment, and mines until it is solid. */
async function reach(moment: string) {
  const seconds = (new Date(moment).getTime() - (await clock()).getTime()) / 1_000
  await app.advance(Math.ceil(seconds) + 1)
  app.mine(SOLID_LAG + 1)
}

function midnightAfter(moment: string): string {
  const at = new Date(moment)
  at.setUTCHours(24, 0, 0, 0)
  return at.toISOString()
}

test('a daily budget: paused when it is used up, covered again at midnight', async () => {
  const it = await covered('100', { daily_budget_trx: '4.4' })
  const { id, activated_at } = it.active
  const of = { subscription_id: id, address: it.wallet.address }
  const paused_until = midnightAfter(activated_at!)
  expect(await sent(it, 1)).toMatchObject({ paused_until: null, spent_today_trx: '2.2' })
  await app.whole(it.wallet)
  expect(await sent(it, 2)).toMatchObject({ status: 'active', paused_until })
  const budget = { ...of, budget: 'daily', budget_sun: 4_400_000 }
  expect(await budgetEvents(it, 'near')).toEqual([])
  const reached = { ...budget, spent_sun: 4_400_000, paused_until }
  expect(await budgetEvents(it, 'reached')).toEqual([reached])
  await energyGone(it)
  await until('no reserve', async () => (await account(it)).reserved_trx === '0')
  // A transfer on Energy that was bought meanwhile is not billed, and nothing is topped up.
  expect((await app.buy(it.client, { body: { receiver_address: it.wallet.address } })).status).toBe(
    200,
  )
  await until('the bought Energy', async () => {
    await app.mineWhenRead()
    return (await app.energy(it.wallet)).limit > 0n
  })
  const { limit } = await app.energy(it.wallet)
  const own = await it.wallet.sendUsdt(app.receivers[9]!)
  app.mine(3)
  await app.scanned()
  const state = `select state from autoenergy.call where txid = $1 and state <> 'seen'`
  const [call] = await until('the call is decided', async () => {
    const rows = await app.database.sql<{ state: string }>(state, [own])
    return rows.length > 0 && rows
  })
  expect(call).toEqual({ state: 'ignored' })
  expect(await read(it)).toMatchObject({ status: 'active', tx_used_total: 2, paused_until })
  expect((await app.energy(it.wallet)).limit).toBe(limit)
  await reach(paused_until)
  const again = { status: 'active', paused_until: null, spent_today_trx: '0' }
  expect(await app.become(it.client, it.wallet, { paused_until: null })).toMatchObject(again)
  await app.whole(it.wallet)
  expect((await account(it)).reserved_trx).toBe('4.4')
  expect(await sent(it, 3)).toMatchObject({ paused_until: null, spent_today_trx: '2.2' })
  expect(await brokenInvariants(app.database)).toEqual([])
})

test('a monthly budget: told at 80 %; the daily fee goes on, the idle clock stands and then runs in full', async () => {
  const it = await covered('100', { monthly_budget_trx: '2.75' })
  await sent(it, 1)
  const ends_at = expect.stringMatching(/-01T00:00:00\.000Z$/)
  const near = { budget: 'monthly', budget_sun: 2_750_000, spent_sun: 2_200_000, ends_at }
  expect(await budgetEvents(it, 'near')).toEqual([
    { subscription_id: it.active.id, address: it.wallet.address, ...near },
  ])
  await app.whole(it.wallet)
  const { paused_until } = await sent(it, 2)
  expect(paused_until).toEqual(ends_at)
  expect(await budgetEvents(it, 'reached')).toMatchObject([{ budget: 'monthly', paused_until }])
  await energyGone(it)
  // Idle for three times its idle hours.
  await app.advance(3 * DAY)
  app.mine(SOLID_LAG + 1)
  const days = async () => (await kinds(it)).filter((kind) => kind === 'autoenergy_daily').length
  await until('three days are charged', async () => (await days()) === 3)
  expect(await read(it)).toMatchObject({ status: 'active', paused_until, close_reason: null })
  await reach(paused_until)
  await app.become(it.client, it.wallet, { paused_until: null })
  await app.whole(it.wallet)
  await app.advance(DAY)
  const closed = await app.become(it.client, it.wallet, { status: 'closed' })
  const closed_at = new Date(new Date(paused_until).getTime() + DAY * 1_000).toISOString()
  expect(closed).toMatchObject({ close_reason: 'idle', closed_at, paused_until: null })
})

test('calls on what is left are billed, also beyond the budget', async () => {
  const it = await covered('100', { daily_budget_trx: '1' })
  await it.wallet.sendUsdt(app.receivers[9]!)
  await it.wallet.sendUsdt(app.receivers[9]!)
  const paused = await app.become(it.client, it.wallet, { tx_used_total: 2 })
  expect(paused).toMatchObject({ status: 'active', spent_today_trx: '4.4' })
  expect(paused.paused_until).toBe(midnightAfter(it.active.activated_at!))
  expect(await budgetEvents(it, 'near')).toEqual([])
  expect(await budgetEvents(it, 'reached')).toMatchObject([{ spent_sun: 2_200_000 }])
})

test('the reserve cannot be held when cover returns: closed at that moment', async () => {
  const it = await covered('21', { daily_budget_trx: '2.2', idle_hours: 72 })
  const { paused_until } = await sent(it, 1)
  await energyGone(it)
  await until('no reserve', async () => (await account(it)).reserved_trx === '0')
  // What was reserved can be spent now: 8.8 TRX less one purchase.
  const purchase = { resource_amount: 200_000, receiver_address: app.receivers[8] }
  expect((await app.buy(it.client, { body: purchase })).status).toBe(200)
  await reach(paused_until)
  const closed = await app.become(it.client, it.wallet, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'insufficient_balance', closed_at: paused_until })
})

test('closed while paused: the close ends the pause, and a new run has a budget of its own', async () => {
  const it = await covered('100', { daily_budget_trx: '2.2', monthly_budget_trx: '50' })
  await sent(it, 1)
  await energyGone(it)
  expect((await app.act(it.client, it.wallet, 'close')).body).toMatchObject({
    status: 'closed',
    close_reason: 'manual',
    paused_until: null,
  })
  await app.reclaimed(it.wallet)
  const path = `/v1/autoenergy/subscriptions/${it.wallet.address}/reactivate`
  const body = { daily_budget_trx: '9', ownership_signature: undefined }
  const opened = await app.call('POST', path, { key: it.client.api_key, body })
  const budgets = { daily_budget_trx: '9', monthly_budget_trx: '50' }
  expect(opened.body).toMatchObject({ ...budgets, run: 2, spent_today_trx: '0' })
  await app.become(it.client, it.wallet, { status: 'active' })
  expect(await sent(it, 1)).toMatchObject({ paused_until: null, spent_today_trx: '2.2' })
  expect(await brokenInvariants(app.database)).toEqual([])
})
