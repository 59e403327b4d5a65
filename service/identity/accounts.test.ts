import { createHash } from 'node:crypto'
import { isRefusal, refuse } from '@ergon/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type TestRuntime, testRuntime } from '../../proof/testing/runtime.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemClock } from '../kernel/index.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { type Authenticator, createAuthenticator } from './authenticate.ts'

let database: TestDatabase
let runtime: TestRuntime
let db: Db
let accounts: Accounts
let authenticator: Authenticator
const opened: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = testRuntime()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 5, runtime, log: silentLog, name: 'test' })
  const remember = async (_tx: unknown, account: string) => {
    opened.push(account)
  }
  accounts = createAccounts({ db, runtime, onAccount: [remember] })
  authenticator = createAuthenticator({ db, clock: systemClock(), log: silentLog })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a key is a prefix and 256 random bits, and no two are alike', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => accounts.create('x')))
  for (const { apiKey } of keys) expect(apiKey).toMatch(/^erg_[A-Za-z0-9_-]{43}$/)
  expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(3)
})

test('participants in opening an account run in its transaction', async () => {
  const { account } = await accounts.create('with a participant')
  expect(opened).toContain(account)
  const failing = createAccounts({
    db,
    runtime,
    onAccount: [() => Promise.reject(new Error('no address left'))],
  })
  await expect(failing.create('half made')).rejects.toThrow('no address left')
  expect(await database.sql(`select from identity.account where name = 'half made'`)).toEqual([])
})

test('a referral code is read once: the second answer needs no query', async () => {
  const { account } = await accounts.create('with a code')
  const code = await accounts.referralCodeOf(account)
  expect(code).toBe((await accounts.profileOf(account))!.referralCode)
  expect(code).toMatch(/^[A-Z2-9]{10}$/)
  expect(accounts.referralCodeOf(account)).toBe(code)
})

test('several keys of one account open it; a revoked one is dead and cannot be revoked again', async () => {
  const { account, apiKey } = await accounts.create('two keys')
  const second = await accounts.createKey(account)
  expect(await authenticator.accountOf(apiKey)).toBe(account)
  expect(await authenticator.accountOf(second.apiKey)).toBe(account)
  expect(await accounts.revokeKey(account, second.keyId)).toBe(true)
  expect(await accounts.revokeKey(account, second.keyId)).toBe(false)
  expect(await authenticator.accountOf(second.apiKey)).toEqual(refuse('invalid_api_key'))
  expect(await authenticator.accountOf(apiKey)).toBe(account)
})

/** The answer from the cache, without the database. */
function cached(following: ReturnType<typeof createAuthenticator>, key: string) {
  const found = following.accountOf(key)
  return typeof found === 'string' ? found : undefined
}

test('a key that is asked for all the time is forgotten when it is revoked', async () => {
  const { account } = await accounts.create('asked all the time')
  const { apiKey, keyId } = await accounts.createKey(account)
  const following = createAuthenticator({ db, clock: systemClock(), log: silentLog })
  following.loop.start()
  onTestFinished(following.loop.stop)
  await until('it is remembered', async () => {
    await following.accountOf(apiKey)
    return cached(following, apiKey) === account
  })
  await accounts.revokeKey(account, keyId)
  await until('it is forgotten', () => cached(following, apiKey) === undefined)
  expect(await following.accountOf(apiKey)).toEqual(refuse('invalid_api_key'))
})

test('a key is not trusted while nobody can say whether it was revoked', async () => {
  const { account, apiKey } = await accounts.create('asks in vain')
  let isStuck = false
  const stuck: Db = {
    ...db,
    query: (statement, values) =>
      isStuck && statement.name === 'identity.readRevision'
        ? new Promise(() => {})
        : db.query(statement, values),
  }
  const following = createAuthenticator({ db: stuck, clock: systemClock(), log: silentLog })
  // The first request begins to follow the revision; the next is cached.
  await following.accountOf(apiKey)
  await following.loop.runOnce()
  await following.accountOf(apiKey)
  expect(cached(following, apiKey)).toBe(account)
  isStuck = true
  await expect(following.loop.runOnce()).rejects.toThrow('whether keys were revoked')
  expect(cached(following, apiKey)).toBeUndefined()
  // It is read from the database each time.
  expect(await following.accountOf(apiKey)).toBe(account)
  expect(cached(following, apiKey)).toBeUndefined()
})

test("nobody revokes another account's key", async () => {
  const [mine, theirs] = [await accounts.create('mine'), await accounts.create('theirs')]
  const { keyId, apiKey } = await accounts.createKey(theirs.account)
  expect(await accounts.revokeKey(mine.account, keyId)).toBe(false)
  expect(await authenticator.accountOf(apiKey)).toBe(theirs.account)
})

test('an operator finds one account by its whole login or id, and several by a part, the newest first', async () => {
  const signUp = (login: string) =>
    accounts.ofLogin({ login, name: `Shop of ${login}`, referralCode: '' })
  const ann = await signUp('ann@shop.example')
  const joann = await signUp('joann@shop.example')
  const found = async (text: string, id?: string, limit = 10) =>
    (await accounts.search(text, id, limit)).map((account) => account.id)
  expect(await found('Ann@shop.example')).toEqual([ann])
  expect(await found('', joann)).toEqual([joann])
  expect(await found('ann@shop')).toEqual([joann, ann])
  expect(await found('SHOP OF JO')).toEqual([joann])
  expect(await found('', undefined, 2)).toEqual([joann, ann])
  expect(await found('nobody@shop.example')).toEqual([])
  await accounts.linkWallet(ann, 'TWallet')
  expect(await found('TWallet')).toEqual([ann])
})

test('removing the user disables its keys, and no new key can be made', async () => {
  const { account, apiKey } = await accounts.create('leaves')
  expect(await accounts.removeUser(account)).toBe(true)
  expect(await accounts.removeUser(account)).toBe(false)
  expect(await authenticator.accountOf(apiKey)).toEqual(refuse('user_not_found'))
  await expect(accounts.createKey(account)).rejects.toThrow('no user to hold a key')
})

test.each([
  [undefined, 'api_key_required'],
  ['', 'api_key_required'],
  ['x', 'invalid_api_key'],
  ['erg_short', 'invalid_api_key'],
  [`erg_${'A'.repeat(43)}`, 'invalid_api_key'],
  [`erg_${'A'.repeat(43)}, erg_${'A'.repeat(43)}`, 'invalid_api_key'],
  [`erg_${'A'.repeat(42)}\0`, 'invalid_api_key'],
  [`ERG_${'A'.repeat(43)}`, 'invalid_api_key'],
] as const)('the key %j is refused as %s', async (key, code) => {
  expect(await authenticator.accountOf(key)).toEqual(refuse(code))
})

test('what does not look like a key costs no look-up', async () => {
  const before = runtime.statements.length
  expect(isRefusal(await authenticator.accountOf(`erg_${'*'.repeat(43)}`))).toBe(true)
  expect(runtime.statements.length).toBe(before)
})

test('the key itself is nowhere in the database', async () => {
  const { account, apiKey } = await accounts.create('secretive')
  const { apiKey: second } = await accounts.createKey(account)
  const tables = await database.sql<{ name: string }>(`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`)
  expect(tables.length).toBeGreaterThan(5)
  for (const { name } of tables) {
    for (const key of [apiKey, second]) {
      const secret = key.slice('erg_'.length)
      const hex = Buffer.from(secret, 'base64url').toString('hex')
      const rows = await database.sql(
        `select from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0`,
        [secret, hex],
      )
      expect([name, rows]).toEqual([name, []])
    }
  }
  // Both are of the same millisecond, so their order is not fixed.
  const kept = await database.sql<{ last_four: string }>(
    'select last_four from identity.api_key where account_id = $1',
    [account],
  )
  const ends = [apiKey, second].map((key) => key.slice(-4))
  expect(kept.map((key) => key.last_four).sort()).toEqual(ends.sort())
})

test('a key is kept as its SHA-256, with nothing about what it may do or when it ends', async () => {
  const { account, apiKey } = await accounts.create('plain')
  const [row] = await database.sql<Record<string, string>>(
    'select * from identity.api_key where account_id = $1',
    [account],
  )
  expect(row!.key_hash).toBe(createHash('sha256').update(apiKey).digest('hex'))
  expect(Object.keys(row!).sort()).toEqual([
    'account_id',
    'created_at',
    'id',
    'key_hash',
    'last_four',
    'last_used_at',
    'name',
    'note',
    'revoked_at',
    'user_id',
  ])
})
