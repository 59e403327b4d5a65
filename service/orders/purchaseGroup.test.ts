import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { hold } from '../../proof/testing/holdAccount.ts'
import { type Db, openDb } from '../db/index.ts'
import { formatTrx, silentLog, sun, systemRuntime } from '../kernel/index.ts'
import { WAITING_GROUPS_MAX } from './lockedAccounts.ts'
import type { BuyRow } from './purchaseGroup.sql.ts'
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
  db = await openDb({ urls, connections: 8, runtime, log: silentLog, name: 'test' })
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
    quote: undefined,
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

const parts = {
  ...{ ids: runtime.ids, clock: runtime.clock, log: silentLog, onAccepted() {} },
  get waitingDb() {
    return db
  },
}

/** The database commits the group, and then the connection is lost. */
function groupsOn(afterwards: () => void) {
  const query: Db['query'] = async (statement, values) => {
    const rows = await db.query(statement, values)
    if (statement.name === 'orders.buyMany') afterwards()
    return rows
  }
  return createPurchaseGroup({ db: { ...db, query }, ...parts })
}

const standing = (account: string) =>
  database.sql(
    `select balance_sun, (select count(*) from orders.purchase_order where account_id = $1) as orders
       from ledger.account where id = $1`,
    [account],
  )

test('the next group is sent before the last one is answered', async () => {
  const account = await openAccount(6)
  const happened: string[] = []
  let answerFirst = () => {}
  const isHeld = new Promise<void>((resolve) => {
    answerFirst = resolve
  })
  const query: Db['query'] = async (statement, values) => {
    happened.push('sent')
    const rows = await db.query(statement, values)
    await isHeld
    return rows
  }
  const groups = createPurchaseGroup({ db: { ...db, query }, ...parts })
  const joinThree = () => [1, 2, 3].map(() => groups.join(purchaseOf(account)))
  const first = joinThree().map((joined) => joined.then(() => happened.push('answered')))
  await expect.poll(() => happened).toEqual(['sent'])
  const second = joinThree()
  answerFirst()
  await Promise.all([...first, ...second])
  expect(happened).toEqual(['sent', 'sent', 'answered', 'answered', 'answered'])
})

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

/** A purchase, and what became of it so far. */
function follow(joining: Promise<BuyRow | undefined>) {
  const followed: { outcome?: string } = {}
  const done = joining.then((row) => {
    followed.outcome = row!.outcome
  })
  return { followed, done }
}

const holding = (account: string) => ({
  text: 'select from ledger.account where id = $1 for update',
  values: [account],
})

test('a group buys at once for the accounts that are free; the locked one waits for its own', async () => {
  const [locked, free] = [await openAccount(3), await openAccount(3)]
  const groups = groupsOn(() => {})
  await hold(database, holding(locked), async ({ inFlight, commit }) => {
    const wanted = [locked, free, locked, free].map((account) =>
      follow(groups.join(purchaseOf(account))),
    )
    await Promise.all([wanted[1]!.done, wanted[3]!.done])
    await inFlight()
    expect(wanted.map(({ followed }) => followed.outcome)).toEqual([
      undefined,
      'accepted',
      undefined,
      'accepted',
    ])
    await commit()
    await Promise.all(wanted.map(({ done }) => done))
    expect(wanted.map(({ followed }) => followed.outcome)).toEqual(Array(4).fill('accepted'))
  })
  expect(await standing(locked)).toEqual([{ balance_sun: '3000000', orders: '2' }])
})

test('an account that stays locked is given up; nothing is written and its key is free', async () => {
  const [locked, free] = [await openAccount(3), await openAccount(9)]
  const groups = groupsOn(() => {})
  await hold(database, holding(locked), async () => {
    const first = ['a', 'b', 'c'].map((key) => groups.join(purchaseOf(locked, key)))
    let isOver = false
    const over = Promise.all(first).finally(() => {
      isOver = true
    })
    let bought = 0
    while (!isOver) {
      const row = await groups.join(purchaseOf(free))
      expect(['accepted', 'insufficient']).toContain(row!.outcome)
      if (row!.outcome === 'accepted') bought += 1
    }
    expect(bought).toBe(9)
    expect((await over).map((row) => row!.outcome)).toEqual(['locked', 'locked', 'locked'])
  })
  expect(await standing(locked)).toEqual([{ balance_sun: '9000000', orders: '0' }])
  const again = ['a', 'b', 'c'].map((key) => groups.join(purchaseOf(locked, key)))
  expect((await Promise.all(again)).map((row) => row!.outcome)).toEqual(Array(3).fill('accepted'))
})

test('more locked accounts than may wait at once: all are given up, none of the others waits', async () => {
  const accounts = await Promise.all(Array.from({ length: 7 }, () => openAccount(1)))
  const free = await openAccount(1)
  const groups = groupsOn(() => {})
  const all = {
    text: 'select from ledger.account where id = any ($1) for update',
    values: [accounts],
  }
  await hold(database, all, async ({ inFlight }) => {
    const stuck = accounts.map((account) => groups.join(purchaseOf(account)))
    await inFlight()
    expect((await groups.join(purchaseOf(free)))!.outcome).toBe('accepted')
    const waiting = await database.sql(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%orders.buy_one%'
          and datname = current_database()`,
    )
    expect(waiting.length).toBeLessThanOrEqual(WAITING_GROUPS_MAX)
    expect((await Promise.all(stuck)).map((row) => row!.outcome)).toEqual(Array(7).fill('locked'))
  })
  const again = await Promise.all(accounts.map((account) => groups.join(purchaseOf(account))))
  expect(again.map((row) => row!.outcome)).toEqual(Array(7).fill('accepted'))
})

test('a key that was answered is replayed while its account is locked', async () => {
  const account = await openAccount(3)
  const groups = groupsOn(() => {})
  const first = await groups.join(purchaseOf(account, 'same'))
  await hold(database, holding(account), async () => {
    const again = await groups.join(purchaseOf(account, 'same'))
    expect(again).toEqual({ ...first, outcome: 'replayed' })
  })
})

test('something else that is locked stops its own purchase and nobody else', async () => {
  const [locked, free] = [await openAccount(3), await openAccount(3)]
  const groups = groupsOn(() => {})
  await database.sql(
    `insert into orders.idempotency_key values ($1, 'old', $2, '{}', now() - interval '2 days')`,
    [locked, runtime.ids.next()],
  )
  const text = 'select from orders.idempotency_key where account_id = $1 for update'
  await hold(database, { text, values: [locked] }, async () => {
    const wanted = [purchaseOf(locked, 'old'), purchaseOf(free), purchaseOf(free)]
    const rows = await Promise.all(wanted.map((one) => groups.join(one)))
    expect(rows.map((row) => row!.outcome)).toEqual(['locked', 'accepted', 'accepted'])
  })
  expect(await standing(locked)).toEqual([{ balance_sun: '9000000', orders: '0' }])
})

test('one bad purchase of an account that was locked does not fail its others', async () => {
  const account = await openAccount(3)
  const groups = groupsOn(() => {})
  await hold(database, holding(account), async ({ inFlight, commit }) => {
    const bad = { ...purchaseOf(account), amount: -1n }
    const wanted = [purchaseOf(account), bad, purchaseOf(account)].map((one) => groups.join(one))
    await inFlight()
    await commit()
    const statuses = (await Promise.allSettled(wanted)).map(({ status }) => status)
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
  expect(await standing(account)).toEqual([{ balance_sun: '3000000', orders: '2' }])
})

test('a server that is down after it refused a group leaves the outcome unknown', async () => {
  const account = await openAccount(3)
  const refused = Object.assign(new pg.DatabaseError('no space left', 1, 'error'), {
    code: '53100',
  })
  const query: Db['query'] = (statement) =>
    Promise.reject(statement.name === 'orders.buyMany' ? refused : AWAY)
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
