import type { HandledRoute, Lasting, Verbatim } from '@ergon/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '../../proof/testing/house.ts'
import type { Db } from '../db/index.ts'
import { systemDoors } from '../kernel/index.ts'
import { createLedger } from '../ledger/index.ts'
import { accountRoutes } from './routes.ts'

let house: TestHouse
let account: string
let still: number | undefined
let revision: bigint | undefined
/** How often the database was asked for the balance. */
let asked: number
let read: () => Verbatim | Promise<Verbatim>
beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.close())
beforeEach(async () => {
  account = (await house.newAccount()).account_id
  still = 1
  revision = 1n
  asked = 0
  const db: Db = {
    ...house.db,
    still: () => still,
    query(statement, values) {
      if (statement.name === 'ledger.findMovedBalances') asked += 1
      return house.db.query(statement, values)
    },
  }
  const ledger = createLedger({ db, doors: systemDoors() })
  const authenticator = { ...house.rooms.authenticator, revision: () => revision }
  const [route] = accountRoutes({ ...house.rooms, ledger, authenticator, db }) as [HandledRoute]
  const caller = { account, trace: 'x', source: 'api', address: '' } as const
  read = () => route.run(caller, {} as never) as Verbatim | Promise<Verbatim>
})

const setBalance = (sun: number) =>
  house.database.sql('update ledger.account set balance_sun = $2 where id = $1', [account, sun])
const balance = async () => JSON.parse((await read()).body).balance_trx

test('while nothing moves a balance is said again, at once and without asking', async () => {
  const first = await read()
  expect([read(), read(), asked]).toEqual([first, first, 1])
})

test.each([
  ['something may have moved', () => (still = 2)],
  ['somebody may be moving something', () => (still = undefined)],
  ['a wallet may have changed', () => (revision = 2n)],
  ['nobody knows whether a wallet has changed', () => (revision = undefined)],
])('%s: the database is asked, and what it says is told', async (_name, happen) => {
  expect(await balance()).toBe('0')
  happen()
  await setBalance(7_000_000)
  expect([await balance(), asked]).toEqual(['7', 2])
})

test('an answer that was replaced never holds again', async () => {
  const first = (await read()) as Lasting
  expect(first.holds()).toBe(true)
  still = 2
  await setBalance(7_000_000)
  const second = (await read()) as Lasting
  expect([first.holds(), second.holds()]).toEqual([false, true])
})

test('what moves while a balance is read is not taken for what was read', async () => {
  const first = read()
  still = 2
  await first
  await setBalance(3_000_000)
  expect(await balance()).toBe('3')
})

test.each([
  ['still', () => (still = undefined)],
  ['the revision', () => (revision = undefined)],
])('without %s every reader has it confirmed', async (_name, happen) => {
  happen()
  for (const sun of [1_000_000, 2_000_000, 3_000_000]) {
    await setBalance(sun)
    expect(await balance()).toBe(String(sun / 1_000_000))
  }
  expect(asked).toBe(3)
})
