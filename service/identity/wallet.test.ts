import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type TestRuntime, testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemClock } from '../kernel/index.ts'
import { createAccounts } from './accounts.ts'
import { createAuthenticator } from './authenticate.ts'

let database: TestDatabase
let runtime: TestRuntime
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = testRuntime()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 5, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const newAccount = async () =>
  (await createAccounts({ db, runtime, onAccount: [] }).create('x')).account
const link = (account: string, wallet: string) =>
  database.sql('update identity.account set wallet_address = $2 where id = $1', [account, wallet])
const looks = () => runtime.statements.filter((name) => name === 'identity.findWallets').length

test('a wallet is read at every question, and questions asked together share the query', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const { walletOf } = createAuthenticator({ db, clock: systemClock(), log: silentLog })
  expect(await walletOf(account)).toBe('')
  await link(account, 'TWallet')
  const before = looks()
  expect(await Promise.all([walletOf(account), walletOf(other)])).toEqual(['TWallet', ''])
  expect(looks()).toBe(before + 1)
})
