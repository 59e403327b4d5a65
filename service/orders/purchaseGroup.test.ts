import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb, Unsettled } from '../db/index.ts'
import { formatTrx, silentLog, sun, systemDoors } from '../kernel/index.ts'
import { createPurchaseGroup, type Purchase } from './purchaseGroup.ts'

const doors = systemDoors()
const PRICE = sun(3_000_000n)
const LOST = new Error('Connection terminated unexpectedly')

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, doors, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function openAccount(purchases: number): Promise<string> {
  const account = doors.ids.next()
  await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [account])
  await database.sql(`select ledger.open_account($1)`, [account])
  const balance = PRICE * BigInt(purchases)
  await database.sql(`update ledger.account set balance_sun = $1 where id = $2`, [balance, account])
  return account
}

function purchaseOf(account: string, key?: string): Purchase {
  return {
    id: doors.ids.next(),
    account,
    key,
    refused: false,
    amount: 65_000n,
    receiver: 'T'.padEnd(34, 'r'),
    buyer: '',
    price: PRICE,
    priceTrx: formatTrx(PRICE),
    source: 'api',
    at: doors.clock.now(),
    trace: 'test',
    description: 'Energy',
  }
}

/** The database does what it is told, and then the lane says what it says. */
function groupsOn(afterwards: () => void) {
  const lane: Db['lane'] = {
    async query(statement, values) {
      const rows = await db.lane.query(statement, values)
      afterwards()
      return rows
    },
  }
  return createPurchaseGroup({
    db: { ...db, lane },
    ids: doors.ids,
    log: silentLog,
    onAccepted() {},
  })
}

const standing = (account: string) =>
  database.sql(
    `select balance_sun, (select count(*) from orders.purchase_order where account_id = $1) as orders
       from ledger.account where id = $1`,
    [account],
  )

test.each([
  ['without keys', () => undefined],
  ['with keys', (place: number) => `key-${place}`],
])('a group %s whose answer was lost is told as it was made, and made once', async (_, keyOf) => {
  const account = await openAccount(3)
  const groups = groupsOn(() => {
    throw LOST
  })
  const purchases = [1, 2, 3].map((place) => purchaseOf(account, keyOf(place)))
  const rows = await Promise.all(purchases.map((purchase) => groups.join(purchase)))
  // Nothing is left to pay with, which is no reason to refuse what has been paid.
  const told = rows.map((row) => JSON.parse(row!.response!))
  expect(told.map(({ order_id }) => order_id)).toEqual(purchases.map(({ id }) => id))
  expect(told.map(({ balance_after_sun }) => balance_after_sun)).toEqual([6_000_000, 3_000_000, 0])
  expect(await standing(account)).toEqual([{ balance_sun: '0', orders: '3' }])
})

test('while nobody knows what became of a group, nothing is bought alone', async () => {
  const account = await openAccount(6)
  const groups = groupsOn(() => {
    throw new Unsettled('nobody knows')
  })
  const purchases = [1, 2, 3].map(() => purchaseOf(account))
  const outcomes = await Promise.allSettled(purchases.map((purchase) => groups.join(purchase)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await standing(account)).toEqual([{ balance_sun: '9000000', orders: '3' }])
})

test.each([1, 2])(
  'groups for whose connection the server has no room are bought one by one: %i named',
  async (servers) => {
    const account = await openAccount(16)
    const urls = Array.from({ length: servers }, () => database.url('ergon_app'))
    const crowded = await openDb({ urls, connections: 1, doors, log: silentLog, name: 'crowded' })
    onTestFinished(() => crowded.close())
    const groups = createPurchaseGroup({
      db: crowded,
      ids: doors.ids,
      log: silentLog,
      onAccepted() {},
    })
    await groups.join(purchaseOf(account))
    // Those that are connected stay, and nobody else is let in.
    await limitConnections(1)
    onTestFinished(() => limitConnections(-1))
    // Several: after the first the servers are looked at, and that finds no room either.
    for (let group = 0; group < 5; group++) {
      const rows = await Promise.all([1, 2, 3].map(() => groups.join(purchaseOf(account))))
      expect(rows.map((row) => row!.outcome)).toEqual(['accepted', 'accepted', 'accepted'])
    }
    expect(await standing(account)).toEqual([{ balance_sun: '0', orders: '16' }])
  },
)

async function limitConnections(most: number) {
  const change = `format('alter database %I connection limit ${most}', current_database())`
  await database.sql(`do $$ begin execute ${change}; end $$`)
}

test('groups that follow each other take everybody, once, in the order in which they came', async () => {
  const account = await openAccount(400)
  const groups = groupsOn(() => {})
  const ids: string[] = []
  const waves = Array.from({ length: 8 }, async (_, wave) => {
    for (let turn = 0; turn < wave; turn++) await new Promise((resolve) => setImmediate(resolve))
    const purchases = Array.from({ length: 40 }, () => purchaseOf(account))
    ids.push(...purchases.map(({ id }) => id))
    return Promise.all(purchases.map((purchase) => groups.join(purchase)))
  })
  const rows = (await Promise.all(waves)).flat()
  expect(rows.every((row) => row!.outcome === 'accepted')).toBe(true)
  const numbered = await database.sql<{ id: string }>(
    `select id from orders.purchase_order where account_id = $1 order by number`,
    [account],
  )
  expect(numbered.map(({ id }) => id)).toEqual(ids)
  expect(await standing(account)).toEqual([{ balance_sun: '240000000', orders: '320' }])
})
