import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../../proof/testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../../proof/testing/autoenergy.ts'
import { brokenInvariants } from '../../proof/testing/invariants.ts'
import { SOLID_LAG } from '../../proof/testing/solidLag.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog as log, systemRuntime } from '../kernel/index.ts'
import { createSettling, type Outlook } from './settle.ts'
import { later } from './subscription.ts'

// What is due at one moment, to the millisecond: a close, a call, a day.

const HOUR_MS = 3_600_000
const runtime = systemRuntime()
let app: Coverage
let db: Db
let settling: ReturnType<typeof createSettling>
beforeAll(async () => {
  app = await openCoverage()
  const urls = [app.database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log, name: 'test' })
  const { ledger, events, delivery, autoenergy, chain } = app.rooms
  const rooms = { ledger, events, bars: autoenergy.bars, chain: () => chain }
  settling = createSettling({ db, runtime, log, ...rooms, standing: () => delivery.standing })
})
afterAll(async () => {
  await db.close()
  await app.close()
})

type Case = { client: TestAccount; wallet: Wallet; id: string }
type Moments = { activated_at?: Date; paid_until?: Date; expire_at?: Date; due_at?: Date }

/** A covered wallet; from now on only the test settles. */
async function covered(
  body: Record<string, unknown> = {},
  trx = '100',
  wallet = app.wallet(),
): Promise<Case> {
  const [loop] = app.rooms.autoenergy.loops
  loop!.start()
  const client = await app.fundedAccount(trx)
  const { id } = await app.cover(client, wallet, body)
  await loop!.stop()
  return { client, wallet, id }
}

/** Calls in one block that is read and not settled; returns its time. */
async function called({ wallet }: Case, calls = 1): Promise<Date> {
  for (let sent = 0; sent < calls; sent++) await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await app.scanned()
  return new Date(app.devnet.chain.head.timestamp)
}

async function set({ id }: Case, moments: Moments): Promise<void> {
  for (const [name, at] of Object.entries(moments)) {
    await app.database.sql(`update autoenergy.subscription set ${name} = $2 where id = $1`, [
      id,
      at,
    ])
  }
}

/** The state as if it were this moment, with a solid block of that time. */
async function outlookAt(now: Date): Promise<Outlook> {
  const seen = (await settling.outlook())!
  return { ...seen, now, progress: { ...seen.progress, solidTime: now } }
}
const settleAt = async ({ id }: Case, now: Date) => settling.settle(id, await outlookAt(now))

const energyBack = ({ wallet }: Case) =>
  until('the Energy is back', async () => {
    app.mine()
    const { standing } = app.rooms.delivery
    return db.transaction(async (tx) => (await standing.lock(tx, wallet.address))?.gone)
  })

const isLive = async ({ id }: Case) => {
  const text = 'select live from autoenergy.subscription where id = $1'
  return (await app.database.sql<{ live: boolean }>(text, [id]))[0]!.live
}
const read = ({ client, wallet }: Case) => app.read(client, wallet)
const charges = async ({ client }: Case) =>
  (await app.entries(client)).map(({ kind, amount }) => [kind, amount]).slice(1)
const DAY = ['autoenergy_daily', -1_000_000]
const UNIT = ['autoenergy_unit', -2_200_000]

test('a call at the idle moment is activity: it is billed, and the day that begins is charged', async () => {
  const it = await covered()
  const at = await called(it)
  await set(it, { activated_at: later(at, -24 * HOUR_MS), paid_until: at })
  await settleAt(it, later(at, 1))
  const last_activity_at = at.toISOString()
  expect(await read(it)).toMatchObject({ status: 'active', tx_used_total: 1, last_activity_at })
  expect(await charges(it)).toEqual([UNIT, DAY])
})

test('the call that fills the quota at the moment a day begins closes first: no day', async () => {
  const it = await covered({ quota_max_tx: 1, idle_hours: 72 })
  const at = await called(it)
  await set(it, { paid_until: at })
  await settleAt(it, later(at, 1))
  const closed_at = at.toISOString()
  expect(await read(it)).toMatchObject({ close_reason: 'quota', closed_at, tx_used_total: 1 })
  await settleAt(it, later(at, HOUR_MS))
  expect(await charges(it)).toEqual([UNIT])
})

test('the call that leaves too little for the next reserve at the moment a day begins: no day', async () => {
  const it = await covered({ idle_hours: 72 }, '16.5')
  const at = await called(it)
  await set(it, { paid_until: at })
  await settleAt(it, later(at, 1))
  const closed_at = at.toISOString()
  expect(await read(it)).toMatchObject({ close_reason: 'insufficient_balance', closed_at })
  expect(await charges(it)).toEqual([UNIT])
})

test('calls at the expiry moment: expired, billed up to the quota, the rest is owed, no day', async () => {
  const it = await covered({ quota_max_tx: 1, idle_hours: 72 })
  const at = await called(it, 2)
  await set(it, { paid_until: at, expire_at: at })
  await settleAt(it, later(at, 1))
  const closed_at = at.toISOString()
  expect(await read(it)).toMatchObject({ close_reason: 'expired', closed_at, tx_used_total: 1 })
  expect(await charges(it)).toEqual([UNIT])
  const states = await app.database.sql<{ state: string }>(
    'select state from autoenergy.call where subscription_id = $1 order by position',
    [it.id],
  )
  expect(states.map(({ state }) => state)).toEqual(['billed', 'owed'])
})

const closedByHandAt = (it: Case, at: Date) =>
  db.transaction(async (tx) => {
    const after = (book: { close(reason: 'manual', at: Date): void }) => book.close('manual', at)
    await settling.settleIn(tx, { id: it.id, seen: await outlookAt(at), after })
  })

test.each([
  { when: 'at the moment', ms: 0, fees: [] },
  { when: 'a millisecond after', ms: 1, fees: [DAY] },
])('closed by hand $when a day begins: $fees.length days', async ({ ms, fees }) => {
  const it = await covered({ idle_hours: 72 })
  const at = later(runtime.clock.now(), HOUR_MS)
  await set(it, { paid_until: at })
  await closedByHandAt(it, later(at, ms))
  await settleAt(it, later(at, HOUR_MS))
  expect(await read(it)).toMatchObject({ status: 'closed', close_reason: 'manual' })
  expect(await charges(it)).toEqual(fees)
})

test('closed by hand after its idle moment, with a call in between: billed, and no day', async () => {
  const it = await covered()
  const call = await called(it)
  const idle = later(call, -10_000)
  await set(it, { activated_at: later(idle, -24 * HOUR_MS), paid_until: idle })
  // Not solid yet: calls before the idle moment may still be unknown.
  const unsettled = {
    ...(await outlookAt(later(call, 10_000))),
    progress: (await settling.outlook())!.progress,
  }
  await db.transaction((tx) =>
    settling.settleIn(tx, {
      id: it.id,
      seen: { ...unsettled, progress: { ...unsettled.progress, solidTime: later(idle, -1) } },
      after: (book) => book.close('manual', later(call, 10_000)),
    }),
  )
  await settleAt(it, later(call, HOUR_MS))
  expect(await charges(it)).toEqual([UNIT])
})

test('the address is free only when a day before the close is charged', async () => {
  const it = await covered({ idle_hours: 72 })
  const at = later(runtime.clock.now(), HOUR_MS)
  await set(it, { paid_until: later(at, -1) })
  const seen = await outlookAt(at)
  const notSolid = { ...seen, progress: { ...seen.progress, solidTime: later(at, -10_000) } }
  const after = (book: { close(reason: 'manual', at: Date): void }) => book.close('manual', at)
  await db.transaction((tx) => settling.settleIn(tx, { id: it.id, seen: notSolid, after }))
  await energyBack(it)
  await settling.settle(it.id, notSolid)
  expect(await isLive(it)).toBe(true)
  await settleAt(it, later(at, HOUR_MS))
  expect([await isLive(it), await charges(it)]).toEqual([false, [DAY]])
})

test('closed by others’ use at the moment a day begins: no day', async () => {
  const it = await covered({ idle_hours: 72 })
  const at = later(runtime.clock.now(), HOUR_MS)
  await set(it, { paid_until: at })
  await app.database.sql(`update delivery.standing set strayed = 50000 where address = $1`, [
    it.wallet.address,
  ])
  await settleAt(it, at)
  await settleAt(it, later(at, HOUR_MS))
  expect(await read(it)).toMatchObject({ close_reason: 'energy_used_by_others' })
  expect(await charges(it)).toEqual([])
})

const budgetEvents = async ({ client }: Case) =>
  (await app.events(client, 'autoenergy.budget_reached')).map(({ data }) => data)
const BUDGET = { daily_budget_trx: '2.2', idle_hours: 72 }
const MIDNIGHT = expect.stringMatching(/T00:00:00\.000Z$/)

test('calls that use up the budget and leave too little for a reserve: paused, not closed', async () => {
  const budgets = { ...BUDGET, daily_budget_trx: '4.4', monthly_budget_trx: '2.2' }
  const it = await covered(budgets, '16.5')
  const at = await called(it, 2)
  await settleAt(it, later(at, 1))
  const paused = { status: 'active', tx_used_total: 2, paused_until: MIDNIGHT, close_reason: null }
  expect(await read(it)).toMatchObject(paused)
  // The second call uses up the daily budget too, which does not make the pause longer.
  expect(await budgetEvents(it)).toMatchObject([{ budget: 'monthly', paused_until: MIDNIGHT }])
})

test('while the stake is full a pause goes on, and no idle time passes', async () => {
  const wallet = await app.poorWallet(100_000_000)
  const it = await covered({ ...BUDGET, idle_hours: 24 }, '100', wallet)
  const at = await called(it)
  await settleAt(it, later(at, 1))
  const over = new Date((await read(it)).paused_until)
  await energyBack(it)
  await app.provider({ capacity: 1_000 })
  for (const ms of [1, 60_001, 2 * 24 * HOUR_MS]) {
    const now = later(over, ms)
    await settleAt(it, now)
    const paused_until = later(now, 60_000).toISOString()
    expect(await read(it)).toMatchObject({ status: 'active', paused_until })
  }
  await app.provider({ capacity: 4_000_000 })
  const back = later(over, 3 * 24 * HOUR_MS)
  await settleAt(it, back)
  expect(await read(it)).toMatchObject({ status: 'active', paused_until: null })
})

/** Closed; its Energy has come back, or has not yet. */
async function plantClosed(account: string, id: string, isBack: boolean): Promise<void> {
  await app.database.sql(
    `with standing as (insert into delivery.standing (address, wanted, look) values ($1::text, $4, false))
     insert into autoenergy.subscription (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun,
                                          unit_price_65k_sun, unit_price_131k_sun, idle_hours, requested_at, closed_at,
                                          close_reason, created_at)
     values ($2, $3, $1, 'closed', 'standard', 1, 1, 1, 1, 24, now(), now(), 'manual', now())`,
    [`T${id}`, id, account, isBack ? 0 : 65_000],
  )
}

test('subscriptions that wait do not keep the loop from those after them', async () => {
  const { account_id } = await app.newAccount()
  const idOf = (n: number) => `ffffffff-ffff-7fff-8fff-${String(n).padStart(12, '0')}`
  const last = idOf(700)
  for (let n = 0; n < 700; n++) await plantClosed(account_id, idOf(n), false)
  await plantClosed(account_id, last, true)
  const [loop] = app.rooms.autoenergy.loops
  for (let round = 0; round < 3; round++) await loop!.runOnce()
  const left = `select count(*)::int as left, bool_or(id = $2) as last from autoenergy.subscription where live and account_id = $1`
  expect(await app.database.sql(left, [account_id, last])).toEqual([{ left: 700, last: false }])
  const gone = 'delete from autoenergy.subscription where account_id = $1'
  await app.database.sql(gone, [account_id])
  await app.database.sql(`delete from delivery.standing where address like 'Tffffffff-%'`)
})

/** Paused subscriptions whose pause is over, and whose Energy has not come back. */
async function plantWaiting(account: string, count: number, since: Date): Promise<void> {
  await app.database.sql(
    `with planted as (
       insert into autoenergy.subscription (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun,
                                            unit_price_65k_sun, unit_price_131k_sun, idle_hours, requested_at, activated_at,
                                            paid_until, paused_until, due_at, reserved_sun, created_at)
       select gen_random_uuid(), $1, 'Twaiting-' || n, 'active', 'standard', 1, 1, 1, 1, 24, $3, $3, $3::timestamptz + interval '1 day',
              $3, $3, n % 2, now()
         from generate_series(1, $2::int) n
       returning address)
     insert into delivery.standing (address, wanted, look) select address, 65000, false from planted`,
    [account, count, since],
  )
}

test('subscriptions that wait for the end of their pause do not keep others from what is due', async () => {
  const other = await covered({}, '100', await app.poorWallet(100_000_000))
  const { account_id } = await app.newAccount()
  const due = new Date((await read(other)).activated_at)
  app.mine(SOLID_LAG + 1)
  await app.scanned()
  await plantWaiting(account_id, 700, later(due, -HOUR_MS))
  await set(other, { expire_at: due, due_at: due })
  await app.rooms.autoenergy.loops[0]!.runOnce()
  expect(await read(other)).toMatchObject({ status: 'closed', close_reason: 'expired' })
  const gone = 'delete from autoenergy.subscription where account_id = $1'
  await app.database.sql(gone, [account_id])
  await app.database.sql(`delete from delivery.standing where address like 'Twaiting-%'`)
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
