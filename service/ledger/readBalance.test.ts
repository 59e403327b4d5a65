import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { type Balance, createReadBalance } from './readBalance.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
let balanceOf: (account: string) => Promise<Balance>
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  balanceOf = createReadBalance(db)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function openAccount(): Promise<string> {
  const account = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [account],
  )
  await database.sql(`insert into ledger.account (id) values ($1)`, [account])
  return account
}

const change = (account: string, what: string) =>
  database.sql(`update ledger.account set ${what} where id = $1`, [account])

const NOTHING = { balance: 0n, reserved: 0n, withheld: 0n, spendable: 0n }

test.each([
  ['balance_sun = 500', { ...NOTHING, balance: 500n, spendable: 500n }],
  [
    'balance_sun = 500, reserved_sun = 200',
    { ...NOTHING, balance: 500n, reserved: 200n, spendable: 300n },
  ],
  ['balance_sun = 500, withheld_sun = 501', { ...NOTHING, balance: 500n, withheld: 501n }],
  ['balance_sun = -7, overdrawn = true', { ...NOTHING, balance: -7n }],
])('a change is shown at once: %s', async (what, answer) => {
  const account = await openAccount()
  expect(await balanceOf(account)).toEqual(NOTHING)
  await change(account, what)
  expect(await balanceOf(account)).toEqual(answer)
})

test('several at once, one of them without an account: the others are answered', async () => {
  const [one, other] = [await openAccount(), await openAccount()]
  await change(other, 'balance_sun = 3')
  const answers = await Promise.allSettled([one, runtime.ids.next(), other].map(balanceOf))
  expect(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.balance : 'none')),
  ).toEqual([0n, 'none', 3n])
})
