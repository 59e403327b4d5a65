import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChainRoom, readUpTo } from '../../proof/testing/chainRoom.ts'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import type { BlockFacts, ContractCall } from '../chain/index.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog as log, sun, systemRuntime } from '../kernel/index.ts'
import { createLedger, type Ledger } from '../ledger/index.ts'
import { createFacts } from './facts.ts'
import { insertSubscription } from './subscribe.sql.ts'

const runtime = systemRuntime()
const time = new Date('2030-01-01T10:00:00Z')
const expiresAt = new Date('2030-01-01T10:01:00Z')
const later = new Date('2030-01-01T10:01:03Z')
const DAY_MS = 86_400_000
let database: TestDatabase
let db: Db
let ledger: Ledger
let facts: ReturnType<typeof createFacts>

beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, runtime, log, name: 'test' })
  ledger = createLedger({ db, runtime })
  const chain = openChainRoom(db)
  await readUpTo(database, 25, later)
  facts = createFacts({ db, runtime, log, ledger, chain: () => chain })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

let wallets = 0
/** A wallet that is covered by an account with 100 SUN. */
async function covered(dailyBudget: bigint | null = null) {
  const account = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [account],
  )
  await db.transaction((tx) => ledger.open(tx, account))
  const caller = `41${String(++wallets).padStart(40, '0')}`
  const [id, address] = [runtime.ids.next(), toBase58(caller)]
  const plan = ['standard', 10n, 1n, 2n, 3n, null, 24n, null, 0n]
  await db.query(insertSubscription, [
    id,
    account,
    address,
    ...plan,
    time,
    false,
    dailyBudget,
    null,
  ])
  await post(account, 'deposit', id, 100n)
  return { id, account, caller }
}

const post = (
  client: string,
  kind: 'deposit' | 'autoenergy_unit',
  reference: string,
  amount: bigint,
) => {
  const counter =
    kind === 'deposit' ? ('asset:deposit_addresses' as const) : ('income:energy' as const)
  const posting = { client, kind, reference, amount: sun(amount), counter, description: '' }
  return db.transaction((tx) => ledger.post(tx, [{ ...posting, trace: '' }]))
}

const read = (number: number, caller: string, calls: readonly Partial<ContractCall>[]) => {
  const call = { caller, position: 0, result: 'SUCCESS', energy: 65_000n, energyUsage: 65_000n }
  const rest = { txid: '', burned: 0n, feeLimit: 100n, expiresAt }
  const all = calls.map((one): ContractCall => ({ ...call, ...rest, ...one }))
  const nothing = { transfers: [], tokens: [], delegations: [], departures: [] }
  const block: BlockFacts = { number, id: String(number), time, calls: all, ...nothing }
  return db.transaction((tx) => facts.onBlock(tx, block))
}
const orphan = (number: number) =>
  db.transaction((tx) => facts.onOrphan(tx, { number, id: String(number) }))
const callsOf = (caller: string) =>
  database.sql(
    `select txid, block_number::int as block, result, energy::int, energy_usage::int as usage, burned_sun::int as burned
       from autoenergy.call where address = $1 order by txid`,
    [toBase58(caller)],
  )

test('a call stays in its block when another block is orphaned', async () => {
  const { caller } = await covered()
  await read(1, caller, [{ txid: 'stays' }])
  await read(2, caller, [{ txid: 'goes' }])
  await orphan(2)
  expect(await callsOf(caller)).toMatchObject([
    { txid: 'goes', block: null },
    { txid: 'stays', block: 1 },
  ])
})

test('on a new branch an undecided call has its new receipt, a decided one what was decided on', async () => {
  const { caller } = await covered()
  await read(3, caller, [{ txid: 'decided' }, { txid: 'undecided' }])
  await database.sql(`update autoenergy.call set state = 'free' where txid = 'decided'`)
  await orphan(3)
  const fresh = { result: 'OUT_OF_ENERGY', energy: 90_000n, energyUsage: 70_000n, burned: 5n }
  await read(4, caller, [
    { txid: 'undecided', ...fresh },
    { txid: 'decided', ...fresh },
  ])
  expect(await callsOf(caller)).toEqual([
    { txid: 'decided', block: 4, result: 'SUCCESS', energy: 65_000, usage: 65_000, burned: 0 },
    {
      txid: 'undecided',
      block: 4,
      result: 'OUT_OF_ENERGY',
      energy: 90_000,
      usage: 70_000,
      burned: 5,
    },
  ])
})

test('what was charged for a call that cannot return comes back, also when that failed before', async () => {
  const { id, account, caller } = await covered()
  await read(5, caller, [{ txid: 'dead' }])
  await orphan(5)
  await database.sql(
    `update autoenergy.call set state = 'billed', energy_class = '65k', billed_sun = 2 where txid = 'dead'`,
  )
  await database.sql(
    `insert into autoenergy.charge (id, subscription_id, account_id, kind, reference, activation, amount_sun, at, created_at)
     values ($1, $2, $3, 'autoenergy_unit', 'dead', 1, 2, now(), now())`,
    [runtime.ids.next(), id, account],
  )
  // The ledger has no such charge, so the whole step fails and the call is set aside.
  await facts.finish()
  const aside = 'select subject, error from db.put_aside'
  const error = expect.stringContaining('no rows')
  expect(await database.sql(aside)).toEqual([{ subject: 'call dead', error }])
  const states = `select state from autoenergy.call where txid = 'dead'`
  expect(await database.sql(states)).toEqual([{ state: 'billed' }])
  await post(account, 'autoenergy_unit', 'dead', -2n)
  runtime.clock.setAheadMs(1_000)
  await facts.finish()
  expect(await database.sql(aside)).toEqual([])
  expect(await database.sql(states)).toEqual([{ state: 'reversed' }])
  expect((await ledger.balanceOf(account)).balance).toBe(100n)
})

/** Billed 2 SUN by a call that counts for the day of its block. */
async function billed(account: string, id: string, txid: string, at: Date) {
  await database.sql(
    `update autoenergy.call set state = 'billed', energy_class = '65k', billed_sun = 2, activation = 1, block_time = $2
      where txid = $1`,
    [txid, at],
  )
  await database.sql(
    `insert into autoenergy.charge (id, subscription_id, account_id, kind, reference, activation, amount_sun, counted, at, created_at)
     values ($1, $2, $3, 'autoenergy_unit', $4, 1, 2, true, now(), now())`,
    [runtime.ids.next(), id, account, txid],
  )
  await post(account, 'autoenergy_unit', txid, -2n)
}

test.each([
  { budget: 4n, left: 'less than the budget', ends: 'now' },
  { budget: 2n, left: 'the whole budget', ends: 'at midnight' },
])('a refunded call leaves $left spent: the pause ends $ends', async ({ budget, ends }) => {
  const { id, account, caller } = await covered(budget)
  const [kept, dead] = [`kept ${budget}`, `dead ${budget}`]
  const now = runtime.clock.now()
  await read(6, caller, [{ txid: kept }])
  await read(7, caller, [{ txid: dead }])
  await orphan(7)
  for (const txid of [kept, dead]) await billed(account, id, txid, now)
  const midnight = new Date(Math.ceil(now.getTime() / DAY_MS) * DAY_MS)
  await database.sql(
    `update autoenergy.subscription
        set status = 'active', activated_at = $2, paid_until = $3::timestamptz + interval '1 day', tx_used_total = 2, paused_until = $3,
            due_at = $3
      where id = $1`,
    [id, now, midnight],
  )
  await facts.finish()
  const text = `select paused_until as paused, due_at as due, tx_used_total::int as used from autoenergy.subscription where id = $1`
  const [after] = await database.sql<{ paused: Date; due: Date; used: number }>(text, [id])
  const paused = ends === 'now' ? runtime.clock.now() : midnight
  expect(after!.used).toBe(1)
  expect(after!.due).toEqual(after!.paused)
  expect(after!.paused.getTime()).toBeLessThanOrEqual(paused.getTime())
  expect(after!.paused.getTime() === midnight.getTime()).toBe(ends === 'at midnight')
})
