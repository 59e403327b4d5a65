import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, sun, systemRuntime } from '../kernel/index.ts'
import { createLedger, type Ledger } from './ledger.ts'
import type { EntryType } from './movement.ts'

const dayOf = (day: number) => new Date(Date.UTC(2026, 0, day))
let now = dayOf(1)
const system = systemRuntime()
const runtime = { ...system, clock: { ...system.clock, now: () => now } }
let database: TestDatabase
let db: Db
let ledger: Ledger
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  ledger = createLedger({ db, runtime })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function newAccount(): Promise<string> {
  const id = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [id],
  )
  await db.transaction((tx) => ledger.open(tx, id))
  return id
}

let facts = 0
/** At the first moment of the day, which belongs to it and not to the day before. */
function post(client: string, day: number, kind: EntryType, amount: bigint) {
  now = dayOf(day)
  facts += 1
  const counter = kind === 'deposit' ? 'asset:deposit_addresses' : 'escrow:orders'
  const about = { reference: `fact ${facts}`, description: 'test', trace: 'test' } as const
  const posting = { client, kind, amount: sun(amount), counter, ...about } as const
  return db.transaction((tx) => ledger.post(tx, [posting]))
}

const period = (account: string, from: number, to: number) =>
  db.transaction((tx) => ledger.period(tx, account, dayOf(from), dayOf(to)))

test("what was spent in a period is the account's own, within the period", async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  for (const each of [account, other]) await post(each, 1, 'deposit', 1_000n)
  for (const day of [1, 2, 3]) {
    await post(account, day, 'purchase', -BigInt(day))
    await post(other, day, 'purchase', -100n)
  }
  expect(await period(account, 2, 3)).toEqual({ spent: 2n, balance: 997n })
  expect(await period(account, 1, 4)).toEqual({ spent: 6n, balance: 994n })
  expect(await period(await newAccount(), 1, 4)).toEqual({ spent: 0n, balance: 0n })
})

test('what came back as a refund was not spent; other credits count for nothing', async () => {
  const account = await newAccount()
  await post(account, 1, 'deposit', 1_000n)
  await post(account, 2, 'purchase', -300n)
  await post(account, 2, 'refund', 100n)
  await post(account, 2, 'deposit', 50n)
  await post(account, 3, 'refund', 200n)
  expect(await period(account, 2, 3)).toEqual({ spent: 200n, balance: 850n })
  expect(await period(account, 2, 4)).toEqual({ spent: 0n, balance: 1_050n })
})

test('the entries of a period are given whole, or not at all where there are too many', async () => {
  const account = await newAccount()
  for (let entry = 0; entry < 5; entry++) await post(account, 1, 'deposit', 1n)
  for (let entry = 0; entry < 2; entry++) await post(account, 2, 'deposit', 10n)
  const entries = async (day: number, most: bigint) => {
    const stretch = { from: dayOf(day), to: dayOf(day + 1) }
    const rows = await ledger.periods.entries(account, stretch, most)
    return rows?.map(({ version }) => version)
  }
  expect(await entries(1, 5n)).toEqual([1n, 2n, 3n, 4n, 5n])
  expect(await entries(1, 4n)).toBeUndefined()
  // Entries before the period do not count.
  expect(await entries(2, 2n)).toEqual([6n, 7n])
  expect(await entries(2, 1n)).toBeUndefined()
})
