import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { formatTrx, silentLog, sun, systemRuntime } from '../kernel/index.ts'
import { createPurchaseGroup, type Purchase } from './purchaseGroup.ts'

const runtime = systemRuntime()
const PRICE = sun(3_000_000n)
const LOST = new Error('Connection terminated unexpectedly')
/** As the pool reports that nothing was sent. */
const AWAY = new Error('timeout exceeded when trying to connect')

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function openAccount(purchases: number): Promise<string> {
  const account = runtime.ids.next()
  await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [account])
  await database.sql(`select ledger.open_account($1)`, [account])
  const balance = PRICE * BigInt(purchases)
  await database.sql(`update ledger.account set balance_sun = $1 where id = $2`, [balance, account])
  return account
}

function purchaseOf(account: string, key?: string): Purchase {
  return {
    id: runtime.ids.next(),
    account,
    key,
    refused: false,
    amount: 65_000n,
    receiver: 'T'.padEnd(34, 'r'),
    price: PRICE,
    priceTrx: formatTrx(PRICE),
    source: 'api',
    at: runtime.clock.now(),
    trace: 'test',
    description: 'Energy',
  }
}

/** The database commits the group, and then the connection is lost. */
function groupsOn(afterwards: () => void) {
  const query: Db['query'] = async (statement, values) => {
    const rows = await db.query(statement, values)
    if (statement.name === 'orders.buyMany') afterwards()
    return rows
  }
  return createPurchaseGroup({
    db: { ...db, query },
    ids: runtime.ids,
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

test('a group whose answer was lost is an error for each, and its keys get what was made', async () => {
  const account = await openAccount(6)
  const lost = groupsOn(() => {
    throw LOST
  })
  const keys = ['a', 'b', 'c']
  const purchases = keys.map((key) => purchaseOf(account, key))
  const outcomes = await Promise.allSettled(purchases.map((purchase) => lost.join(purchase)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  const again = groupsOn(() => {})
  const rows = await Promise.all(keys.map((key) => again.join(purchaseOf(account, key))))
  const made = rows.map((row) => JSON.parse(row!.response!).order_id)
  expect(made).toEqual(purchases.map(({ id }) => id))
  expect(await standing(account)).toEqual([{ balance_sun: '9000000', orders: '3' }])
})

test('one bad purchase does not fail the others of its group', async () => {
  const account = await openAccount(3)
  const groups = groupsOn(() => {})
  const bad = { ...purchaseOf(account), amount: -1n }
  const wanted = [purchaseOf(account, 'first'), bad, purchaseOf(account), purchaseOf(account)]
  const outcomes = await Promise.allSettled(wanted.map((purchase) => groups.join(purchase)))
  const results = outcomes.map((one) => (one.status === 'fulfilled' ? one.value!.outcome : 'error'))
  expect(results).toEqual(['accepted', 'error', 'accepted', 'accepted'])
  expect(await standing(account)).toEqual([{ balance_sun: '0', orders: '3' }])
})

test('a locked account is waited for once in a group, and does not stop other accounts', async () => {
  const [locked, free] = [await openAccount(3), await openAccount(3)]
  const timeout = Object.assign(new pg.DatabaseError('lock timeout', 1, 'error'), { code: '55P03' })
  const waited: unknown[] = []
  const query: Db['query'] = (statement, values) => {
    const account = values![1]
    if (statement.name === 'orders.buyOne' && account === free) return db.query(statement, values)
    waited.push(statement.name)
    return Promise.reject(timeout)
  }
  const parts = { ids: runtime.ids, log: silentLog, onAccepted() {} }
  const groups = createPurchaseGroup({ db: { ...db, query }, ...parts })
  const wanted = [locked, locked, free, locked].map((account) => groups.join(purchaseOf(account)))
  const outcomes = await Promise.allSettled(wanted)
  const statuses = outcomes.map(({ status }) => status)
  expect(statuses).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected'])
  expect(waited).toEqual(['orders.buyMany', 'orders.buyOne'])
})

test('a server that is down after it refused a group leaves the outcome unknown', async () => {
  const account = await openAccount(3)
  const refused = Object.assign(new pg.DatabaseError('no space left', 1, 'error'), {
    code: '53100',
  })
  const query: Db['query'] = (statement) =>
    Promise.reject(statement.name === 'orders.buyMany' ? refused : AWAY)
  const parts = { ids: runtime.ids, log: silentLog, onAccepted() {} }
  const groups = createPurchaseGroup({ db: { ...db, query }, ...parts })
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => groups.join(purchaseOf(account))))
  expect(outcomes).toMatchObject([1, 2, 3].map(() => ({ reason: refused })))
})

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
