import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type TestRuntime, testRuntime } from '../../proof/testing/runtime.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
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
const look = () => runtime.statements.filter((name) => name === 'identity.findWallet').length

test('a wallet is looked up once, and again when anybody has changed one', async () => {
  const account = await newAccount()
  const authenticator = createAuthenticator({ db, log: silentLog })
  authenticator.loop.start()
  await until('it is remembered', async () => {
    await authenticator.walletOf(account)
    return typeof authenticator.walletOf(account) === 'string'
  })
  const before = look()
  expect(authenticator.walletOf(account)).toBe('')
  expect(look()).toBe(before)
  await link(account, 'TWallet')
  await until('the change is noticed', async () => {
    const wallet = await authenticator.walletOf(account)
    return wallet === 'TWallet'
  })
  await authenticator.loop.stop()
})

test('a node that does not follow changes remembers nothing', async () => {
  const account = await newAccount()
  const authenticator = createAuthenticator({ db, log: silentLog })
  expect(await authenticator.walletOf(account)).toBe('')
  await link(account, 'TOther')
  expect(await authenticator.walletOf(account)).toBe('TOther')
})
