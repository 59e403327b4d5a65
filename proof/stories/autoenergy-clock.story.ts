// Proves: autoenergy, sandbox-api.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevnetControl } from '../../service/sandbox-api/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// What time alone causes: daily fees, idle closes, expiry, and a balance that runs out.

const HOUR = 3_600
const DAY = 24 * HOUR
let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

const fees = async (client: TestAccount) =>
  (await app.entries(client)).flatMap(({ kind, amount }) =>
    kind === 'autoenergy_daily' ? amount : [],
  )
const daysCharged = (client: TestAccount, count: number) =>
  until(`${count} days charged`, async () => (await fees(client)).length >= count)
const hoursAfter = (moment: string, hours: number) =>
  new Date(new Date(moment).getTime() + hours * HOUR * 1_000).toISOString()
const settledOnce = () => app.rooms.autoenergy.loops[0]!.runOnce()

async function covered(trx: string, body: Record<string, unknown> = {}) {
  const client = await app.fundedAccount(trx)
  const wallet = await app.poorWallet(10_000_000)
  const active = await app.cover(client, wallet, body)
  return { client, wallet, active }
}

async function closedAs(client: TestAccount, wallet: Wallet, reason: string) {
  return app.become(client, wallet, { close_reason: reason, status: 'closed' })
}

test('each further 24 hours are charged at their start, one by one and all at once', async () => {
  const { client, wallet, active } = await covered('100', { idle_hours: 72 })
  await app.advance(DAY - 60)
  await settledOnce()
  expect(await fees(client)).toEqual([])
  await app.advance(120)
  await daysCharged(client, 1)
  await settledOnce()
  expect(await fees(client)).toEqual([-1_000_000])
  // Two days later: one day is billed, and when the other is due the subscription closes.
  await app.advance(2 * DAY)
  const closed = await closedAs(client, wallet, 'idle')
  expect(await fees(client)).toEqual([-1_000_000, -1_000_000])
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, 72))
  const billing = await app.read(client, wallet, '/billing')
  expect(billing.map((item: { at: string }) => item.at).slice(0, 2)).toEqual(
    [48, 24].map((hours) => hoursAfter(active.activated_at, hours)),
  )
})

test.each([24, 48, 72])('closed after %i idle hours, to the moment', async (hours) => {
  const { client, wallet, active } = await covered('100', { idle_hours: hours })
  await app.advance(hours * HOUR - 60)
  await settledOnce()
  expect(await app.read(client, wallet)).toMatchObject({ status: 'active', idle_hours: hours })
  await app.advance(120)
  const closed = await closedAs(client, wallet, 'idle')
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, hours))
  // No fee for the day that would begin at that moment.
  expect(await fees(client)).toHaveLength(hours / 24 - 1)
})

test('unused, and without money beyond its reserve: closed as idle, not for the balance', async () => {
  const { client, wallet, active } = await covered('14.4')
  await app.advance(DAY + 60)
  const closed = await app.become(client, wallet, { status: 'closed' })
  expect(closed.close_reason).toBe('idle')
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, 24))
  expect(await fees(client)).toEqual([])
})

test('a covered transfer starts the idle clock anew', async () => {
  const { client, wallet, active } = await covered('100')
  await app.advance(20 * HOUR)
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  const used = await app.become(client, wallet, { tx_used_total: 1 })
  await app.advance(20 * HOUR)
  await daysCharged(client, 1)
  expect(await app.read(client, wallet)).toMatchObject({ status: 'active' })
  await app.advance(5 * HOUR)
  const closed = await closedAs(client, wallet, 'idle')
  expect(closed.closed_at).toBe(hoursAfter(used.last_activity_at, 24))
  expect(new Date(closed.closed_at) > new Date(hoursAfter(active.activated_at, 24))).toBe(true)
})

test('expired by the term of its plan', async () => {
  const plan = {
    activation_fee_trx: '3',
    daily_sub_trx: '0.5',
    unit_price_65k_trx: '2',
    unit_price_131k_trx: '4',
  }
  const standard = { ...plan, name: 'standard' }
  await app.settings({ plans: [standard, { ...plan, name: 'short', term_days: 2 }] })
  const { client, wallet, active } = await covered('50', { plan: 'short', idle_hours: 72 })
  expect(active.expire_at).toBe(hoursAfter(active.activated_at, 48))
  expect(active.plan).toMatchObject({ name: 'short', activation_fee_trx: '3', term_days: 2 })
  await app.advance(2 * DAY + 60)
  const closed = await closedAs(client, wallet, 'expired')
  expect(closed.closed_at).toBe(active.expire_at)
  // The second day was paid; a third one would begin when the subscription closes.
  expect(await fees(client)).toEqual([-500_000])
  await app.reclaimed(wallet)
  await app.settings({ plans: [standard] })
  const withdrawn = await app.act(client, wallet, 'reactivate')
  expect([withdrawn.status, withdrawn.body.error]).toEqual([409, 'not_reactivatable'])
  const back = { activation_fee_trx: '10', daily_sub_trx: '1' }
  const units = { unit_price_65k_trx: '2.2', unit_price_131k_trx: '4.4' }
  await app.settings({ plans: [{ name: 'standard', ...back, ...units }] })
})

test('a balance one SUN short of the day: closed at the moment it was due, nothing charged', async () => {
  // Activation 10, reserve 4.4, and one SUN less than a day.
  const { client, wallet, active } = await covered('15.399999', { idle_hours: 72 })
  await app.advance(DAY + 60)
  const closed = await closedAs(client, wallet, 'insufficient_balance')
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, 24))
  expect(await fees(client)).toEqual([])
  await app.reclaimed(wallet)
  expect((await app.get(client, '/account')).body).toMatchObject({
    balance_trx: '5.399999',
    reserved_trx: '0',
  })
})

test('a balance of exactly the day is enough for it, and not for the next one', async () => {
  const { client, wallet, active } = await covered('15.4', { idle_hours: 72 })
  await app.advance(2 * DAY + 60)
  const closed = await closedAs(client, wallet, 'insufficient_balance')
  expect(closed.closed_at).toBe(hoursAfter(active.activated_at, 48))
  expect(await fees(client)).toEqual([-1_000_000])
})

/** Moves the service's clock only; the chain's follows on request. */
async function jumpAlone(seconds: number) {
  const now = async () => new Date((await app.call('GET', '/sandbox/clock')).body.now).getTime()
  const before = await now()
  await app.database.sql(`update db.clock set ahead_ms = ahead_ms + ${seconds * 1_000}`)
  await until('our clock has jumped', async () => (await now()) - before >= seconds * 1_000)
  return async () => {
    const devnet = createDevnetControl(app.devnet.url)
    await devnet.advance(seconds)
    await devnet.mine(SOLID_LAG + 1)
  }
}

test('a day is billed only when the latest solid block agrees that it has begun', async () => {
  const { client, wallet } = await covered('100', { idle_hours: 72 })
  const chainFollows = await jumpAlone(DAY + 60)
  await settledOnce()
  expect(await fees(client)).toEqual([])
  // A close in between neither saves the fee of a day that had begun, nor bills it too early.
  const closed = (await app.act(client, wallet, 'close')).body
  expect(closed).toMatchObject({ status: 'closed', close_reason: 'manual' })
  expect(await fees(client)).toEqual([])
  await chainFollows()
  await daysCharged(client, 1)
  await settledOnce()
  expect(await fees(client)).toEqual([-1_000_000])
  expect(await app.read(client, wallet)).toMatchObject({ closed_at: closed.closed_at })
})

test('closed by hand between the idle moment and its solid block: no day, unless it was used', async () => {
  const [unused, used] = [await covered('100'), await covered('100')]
  await app.advance(HOUR)
  await used.wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await app.become(used.client, used.wallet, { tx_used_total: 1 })
  const chainFollows = await jumpAlone(23 * HOUR + 60)
  await settledOnce()
  for (const { client, wallet } of [unused, used]) {
    expect((await app.act(client, wallet, 'close')).body.close_reason).toBe('manual')
  }
  await chainFollows()
  await daysCharged(used.client, 1)
  await settledOnce()
  expect([await fees(unused.client), await fees(used.client)]).toEqual([[], [-1_000_000]])
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
