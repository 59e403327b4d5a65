import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { type Db, openDb } from '../../db/index.ts'
import { silentLog, sun, systemRuntime } from '../../kernel/index.ts'
import { createLedger, type EntryType, type Ledger, type OwnAccount } from '../../ledger/index.ts'
import { createInvoices, type Invoices } from './invoices.ts'
import { NO_ISSUER } from './issuer.ts'
import { isCharge } from './lines.ts'
import { createParticulars } from './particulars.ts'

// Invoices are the movements of the ledger, to the SUN, each in one of them, and stay as they were issued.

let now = new Date('2026-01-01T00:00:00Z')
const at = (text: string) => {
  now = new Date(`2026-${text}Z`)
}
const system = systemRuntime()
const runtime = { ...system, clock: { ...system.clock, now: () => now } }
let database: TestDatabase
let dbs: Db[]
let ledger: Ledger
let invoices: Invoices
const issuer = { ...NO_ISSUER, name: 'Ergon Ltd' }
const invoicesOn = (db: Db, of = ledger) => {
  const { clock } = runtime
  const particulars = createParticulars({ db, clock })
  return createInvoices({ db, clock, ledger: of, issuer, particulars })
}
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  const open = () => openDb({ urls, connections: 4, runtime, log: silentLog, name: 'test' })
  dbs = [await open(), await open()]
  ledger = createLedger({ db: dbs[0]!, runtime })
  invoices = invoicesOn(dbs[0]!)
})
afterAll(async () => {
  for (const db of dbs) await db.close()
  await database.drop()
})

async function newAccount(): Promise<string> {
  const id = runtime.ids.next()
  await database.sql(`insert into identity.account (id, name, created_at) values ($1, 'x', $2)`, [
    id,
    now,
  ])
  await dbs[0]!.transaction((tx) => ledger.open(tx, id))
  return id
}
let facts = 0
async function post(
  client: string,
  kind: EntryType,
  amount: bigint,
  { counter = 'escrow:orders', reference = `fact ${++facts}` } = {},
) {
  const about = { reference, description: 'test', trace: 'test', counter: counter as OwnAccount }
  const posting = { client, kind, amount: sun(amount), ...about }
  await dbs[0]!.transaction((tx) => ledger.post(tx, [posting]))
  return reference
}
const refund = (kind: EntryType, reference: string) =>
  dbs[0]!.transaction((tx) =>
    ledger.refund(tx, { kind, reference, description: 'test', trace: 'test' }),
  )
const linesIn = async (account: string, month: string) =>
  (await invoices.read(account, month))!.lines.map(({ name, ofMonth, count, amount }) => [
    name,
    ofMonth,
    count,
    amount,
  ])
/** All that the ledger has of an account up to a version, by a query of its own. */
const ledgerSum = async (account: string) => {
  const [row] = await database.sql<{ sum: string }>(
    `select coalesce(sum(case when credit = 'client' then amount_sun else -amount_sun end), 0)::bigint as sum
       from ledger.movement where client_id = $1`,
    [account],
  )
  return BigInt(row!.sum)
}
const numbers = () =>
  database.sql<{ number: string }>('select number from account.invoice order by number')

test('every kind of movement is on its line; deposits and payouts are no part of the total', async () => {
  at('01-05T00:00:00')
  const account = await newAccount()
  await post(account, 'deposit', 1_000n, { counter: 'asset:deposit_addresses' })
  const kinds = ['purchase', 'agent_charge', 'autoenergy_activate'] as const
  for (const kind of kinds) {
    await post(account, kind, -100n)
    await refund(kind, await post(account, kind, -30n))
  }
  await post(account, 'autoenergy_daily', -7n, { counter: 'income:fees' })
  await post(account, 'autoenergy_unit', -5n, { counter: 'income:energy' })
  await post(account, 'reclaim_credit', 11n, { counter: 'cost:goodwill' })
  await post(account, 'adjustment', 13n, { counter: 'cost:referrals' })
  await post(account, 'adjustment', -17n, { counter: 'cost:goodwill' })
  await post(account, 'agent_revenue', 200n, { counter: 'asset:deposit_addresses' })
  await post(account, 'payout', -50n, { counter: 'asset:hot' })
  const month = '2026-01'
  const row = (name: string, count: bigint, amount: bigint) => [name, month, count, amount]
  const expected = [
    row('api_purchases', 2n, -130n),
    row('api_refunds', 1n, 30n),
    row('api_credits', 1n, 11n),
    row('autoenergy_activations', 2n, -130n),
    row('autoenergy_daily', 1n, -7n),
    row('autoenergy_units', 1n, -5n),
    row('autoenergy_refunds', 1n, 30n),
    row('agent_charges', 2n, -130n),
    row('agent_refunds', 1n, 30n),
    row('referral_commissions', 1n, 13n),
    row('adjustments', 1n, -17n),
    row('deposits', 1n, 1_000n),
    row('agent_revenue', 1n, 200n),
    row('payouts', 1n, -50n),
  ]
  expect(await linesIn(account, month)).toEqual(expected)
  const figures = { opening: 0n, closing: 845n, total: 305n }
  expect(await invoices.read(account, month)).toMatchObject({ state: 'preview', ...figures })
  at('02-01T00:10:00')
  expect(await invoices.issue(account)).toBe(1)
  expect(await linesIn(account, month)).toEqual(expected)
  expect(await invoices.read(account, month)).toMatchObject({ state: 'issued', ...figures, issuer })
})

test('over months with any movements, invoices are the ledger, and each begins where the last one ended', async () => {
  at('01-01T00:00:00')
  const account = await newAccount()
  await post(account, 'deposit', 1_000_000n, { counter: 'asset:deposit_addresses' })
  let seed = 4711
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const kinds = ['purchase', 'autoenergy_daily', 'reclaim_credit', 'agent_charge'] as const
  // March has none.
  for (const month of ['01', '02', '04', '05']) {
    for (let day = 1; day <= 28; day += 3) {
      at(`${month}-${String(day).padStart(2, '0')}T12:00:00`)
      const kind = kinds[random(kinds.length)]!
      const amount = BigInt(1 + random(1_000))
      const reference = await post(account, kind, kind === 'reclaim_credit' ? amount : -amount)
      if (kind === 'purchase' && random(3) === 0) await refund(kind, reference)
    }
  }
  at('05-31T23:00:00')
  await invoices.issue(account)
  const items = await invoices.list(account)
  expect(items.map(({ month, state }) => [month, state])).toEqual([
    ['2026-05', 'preview'],
    ['2026-04', 'issued'],
    ['2026-02', 'issued'],
    ['2026-01', 'issued'],
  ])
  expect(await invoices.read(account, '2026-03')).toBeUndefined()
  let balance = 0n
  for (const { month } of items.reverse()) {
    const one = (await invoices.read(account, month))!
    expect(one.opening).toBe(balance)
    const charged = one.lines.filter(({ name }) => isCharge(name))
    expect(one.total).toBe(-charged.reduce((sum, { amount }) => sum + amount, 0n))
    balance += one.lines.reduce((sum, { amount }) => sum + amount, 0n)
    expect(one.closing).toBe(balance)
  }
  expect(balance).toBe(await ledgerSum(account))
})

test('a kind of movement that is left out is noticed by the database, and takes no number', async () => {
  at('06-05T00:00:00')
  const account = await newAccount()
  await post(account, 'deposit', 100n, { counter: 'asset:deposit_addresses' })
  await post(account, 'purchase', -10n)
  await post(account, 'reclaim_credit', 4n, { counter: 'cost:goodwill' })
  at('07-02T00:00:00')
  const before = await numbers()
  const { periods } = ledger
  const forgetful: Ledger = {
    ...ledger,
    periods: {
      ...periods,
      async parts(...of) {
        const read = await periods.parts(...of)
        return { ...read, parts: read.parts.filter(({ kind }) => kind !== 'reclaim_credit') }
      },
    },
  }
  const broken = invoicesOn(dbs[0]!, forgetful).issue(account)
  await expect(broken).rejects.toMatchObject({ constraint: 'lines_are_the_movements' })
  expect(await numbers()).toEqual(before)
  expect(await invoices.issue(account)).toBe(1)
  expect((await invoices.read(account, '2026-06'))!.number).toBe(BigInt(before.length + 1))
})

test('what arrives after the issue is a line of its own in the next invoice', async () => {
  at('08-10T00:00:00')
  const account = await newAccount()
  await post(account, 'deposit', 100n, { counter: 'asset:deposit_addresses' })
  await post(account, 'purchase', -10n)
  // Ten minutes after its end, as months are closed.
  at('09-01T00:09:59')
  expect(await invoices.issue(account)).toBe(0)
  expect(await invoices.read(account, '2026-08')).toMatchObject({ state: 'preview' })
  at('09-01T00:10:00')
  expect(await invoices.read(account, '2026-08')).toMatchObject({ state: 'due' })
  await invoices.issue(account)
  const issued = await invoices.read(account, '2026-08')
  // Booked with a time of August by a process whose clock is behind.
  at('08-31T23:59:59')
  await post(account, 'purchase', -3n)
  at('09-20T00:00:00')
  await post(account, 'purchase', -5n)
  expect(await invoices.read(account, '2026-08')).toEqual(issued)
  at('10-02T00:00:00')
  await invoices.issue(account)
  expect(await invoices.read(account, '2026-08')).toEqual(issued)
  expect(await linesIn(account, '2026-09')).toEqual([
    ['api_purchases', '2026-09', 1n, -5n],
    ['api_purchases', '2026-08', 1n, -3n],
  ])
  expect(await invoices.read(account, '2026-09')).toMatchObject({ opening: 90n, closing: 82n })
})

test('two processes that issue at once leave no gap and give no number twice', async () => {
  at('10-05T00:00:00')
  const accounts = await Promise.all(Array.from({ length: 6 }, newAccount))
  for (const account of accounts) {
    await post(account, 'deposit', 100n, { counter: 'asset:deposit_addresses' })
  }
  at('11-02T00:00:00')
  for (const account of accounts) await post(account, 'purchase', -1n)
  at('12-02T00:00:00')
  const processes = [invoices, invoicesOn(dbs[1]!)]
  const counts = await Promise.all(
    accounts.flatMap((account) => processes.map((one) => one.issue(account))),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12)
  const given = await numbers()
  expect(given.map(({ number }) => number)).toEqual(given.map((_, index) => String(index + 1)))
  // The account of five months, whose last one is over now.
  expect(await invoices.issueAll()).toEqual({ accounts: 1, invoices: 1 })
  expect(await invoices.issueAll()).toEqual({ accounts: 0, invoices: 0 })
})

test('an invoice cannot be changed, removed or added to, and a number not left out', async () => {
  const [one] = await database.sql<{ account_id: string }>('select account_id from account.invoice')
  const stays = { constraint: 'invoices_stay' }
  const change = (text: string) => expect(database.sql(text)).rejects
  await change('update account.invoice set total_sun = 0').toMatchObject(stays)
  await change('delete from account.invoice_line').toMatchObject(stays)
  await change(`insert into account.invoice_line
    select account_id, month, 'payouts', false, month - interval '10 years', 1, 5 from account.invoice
     where account_id = '${one!.account_id}' limit 1`).toMatchObject({
    constraint: 'lines_are_the_movements',
  })
  await change(`insert into account.invoice
    select account_id, '2030-01-01', 1000, issued_at, 1000, 1001, 0, 0, 0, '{}', '{}' from account.invoice
     where account_id = '${one!.account_id}' limit 1`).toMatchObject({
    constraint: 'numbers_have_no_gaps',
  })
})

test('particulars are those of the issue; a side that was empty then is printed as it is now', async () => {
  at('12-05T00:00:00')
  const account = await newAccount()
  await post(account, 'deposit', 100n, { counter: 'asset:deposit_addresses' })
  at('12-31T23:30:00')
  now = new Date('2027-01-02T00:00:00Z')
  await invoices.issue(account)
  const client = { name: 'Client Ltd', address: 'Street 1\nTown', taxNumber: '1' }
  await invoices.particulars.write(account, client)
  expect((await invoices.read(account, '2026-12'))!.client).toEqual(client)
  now = new Date('2027-01-05T00:00:00Z')
  await post(account, 'purchase', -5n)
  now = new Date('2027-02-02T00:00:00Z')
  await invoices.issue(account)
  await invoices.particulars.write(account, { ...client, name: 'Another Ltd' })
  expect((await invoices.read(account, '2027-01'))!.client).toEqual(client)
})
