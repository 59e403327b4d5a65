import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { readGrouped } from './clients.sql.ts'
import { type Clients, createClients, isGroupName } from './clients.ts'

const runtime = systemRuntime()
const { clock } = runtime
let database: TestDatabase
let db: Db
let accounts: Accounts
let clients: Clients
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  accounts = createAccounts({ db, runtime, onAccount: [] })
  clients = createClients({ db, clock, log: silentLog })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('an account is in one group at most, and another process reads it', async () => {
  const { account } = await accounts.create('a reseller')
  expect([await clients.createGroup('gold'), await clients.createGroup('silver')]).toEqual([
    true,
    true,
  ])
  expect(await clients.createGroup('gold')).toBe(false)
  expect(await clients.move(account, 'gold')).toEqual({ before: null })
  expect(await clients.move(account, 'silver')).toEqual({ before: 'gold' })
  const other = createClients({ db, clock, log: silentLog })
  expect(other.groupOf(account)).toBeUndefined()
  await other.loop.runOnce()
  expect([clients.groupOf(account), other.groupOf(account)]).toEqual(['silver', 'silver'])
  const counts = (await clients.groups()).map(({ name, accounts: of }) => [name, of])
  expect(counts).toEqual([
    ['gold', 0n],
    ['silver', 1n],
  ])
  expect((await accounts.search('silver', undefined, 5)).map(({ id }) => id)).toEqual([account])
  expect(await clients.move(account, null)).toEqual({ before: 'silver' })
  expect(clients.groupOf(account)).toBeUndefined()
})

test('an unknown account or group moves nothing', async () => {
  const { account } = await accounts.create('stays')
  expect(await clients.move(account, 'nothing')).toBe('no_group')
  expect(await clients.move('01980000-0000-7000-8000-000000000000', 'gold')).toBe('no_account')
  expect(clients.groupOf(account)).toBeUndefined()
})

test('a read that was asked before a move and answers after it does not undo it', async () => {
  const { account } = await accounts.create('moves')
  const answers: Array<() => void> = []
  let holds = false
  const query: Db['query'] = async (statement, values) => {
    const rows = await db.query(statement, values)
    const late = holds && Object.is(statement, readGrouped)
    holds &&= !late
    if (late) await new Promise<void>((resolve) => answers.push(resolve))
    return rows
  }
  const slow = createClients({ db: { ...db, query }, clock, log: silentLog })
  holds = true
  const early = slow.refresh()
  await expect.poll(() => answers.length).toBe(1)
  await slow.move(account, 'gold')
  answers[0]!()
  await early
  expect(slow.groupOf(account)).toBe('gold')
})

test('names of groups are words that fit an option of a command', () => {
  expect(['gold', '2nd', 'a-b', 'x'.repeat(40)].every(isGroupName)).toBe(true)
  const wrong = ['', 'none', 'Gold', '-a', 'a b', 'ä', 'x'.repeat(41)]
  expect(wrong.some(isGroupName)).toBe(false)
})
