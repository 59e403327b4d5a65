import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { foldPairs } from './fold.sql.ts'
import { createFolding } from './fold.ts'
import { readCompleted } from './orders.sql.ts'
import { searchByReceiver } from './readOrders.sql.ts'
import { createReadOrders, type OrderSearch } from './readOrders.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
let reads: ReturnType<typeof createReadOrders>
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, runtime, log: silentLog, name: 'test' })
  reads = createReadOrders(db)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

type Pair = { receiver: string; buyer: string }

async function newAccount(): Promise<string> {
  const id = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [id],
  )
  return id
}

/** Orders as a purchase leaves them, numbered on from the last. */
async function plant(account: string, pairs: readonly Pair[]) {
  await database.sql(
    `insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address,
                                        buyer_address, price_sun, source, trace, created_at, updated_at)
     select gen_random_uuid(), $1, last.number + g.place, 'PENDING', 65000, g.receiver, g.buyer, 1, 'api', 't', now(), now()
       from unnest($2::text[], $3::text[]) with ordinality g(receiver, buyer, place),
            (select coalesce(max(number), 0) as number from orders.purchase_order where account_id = $1) last`,
    [account, pairs.map((pair) => pair.receiver), pairs.map((pair) => pair.buyer)],
  )
}

const fold = async (account: string, rows: number) =>
  Number((await db.query(foldPairs, [account, rows]))[0]!.folded)

/** The expected list, computed by a plain scan. */
function expected(pairs: readonly Pair[], address: string, page: number, pageSize: number) {
  const wanted = address.toLowerCase()
  const numbers = pairs
    .map((pair, place) => ({ ...pair, number: place + 1 }))
    .filter(({ receiver, buyer }) =>
      [receiver, buyer].some((text) => text.toLowerCase().includes(wanted)),
    )
    .map(({ number }) => number)
    .reverse()
  return { total: numbers.length, numbers: numbers.slice((page - 1) * pageSize, page * pageSize) }
}

async function listed(account: string, address: string, page: number, pageSize: number) {
  const { orders, total } = await reads.list(account, { page, pageSize, address })
  return { total: Number(total), numbers: orders.map((order) => Number(order.number)) }
}

// Few letters, so that parts of addresses are equal; every address begins with T, as on the chain.
// Two whole ones differ only in their last letter.
const whole = ['TabcdEFGh1jk2mn3pq4rs5tu6vw7xy8z9A', 'TabcdEFGh1jk2mn3pq4rs5tu6vw7xy8z9B']
const addresses = ['TabcdEFG', 'TABcdefg', 'TxbcyEFz', 'Tzzzzzzz', 'TEFGabcd', 'Tbca1234', ...whole]
const somePair = fc.record({
  receiver: fc.constantFrom(...addresses),
  buyer: fc.constantFrom('', ...addresses.slice(0, 3), ...whole),
})
const filter = fc.constantFrom(
  '',
  'T',
  'b',
  'bc',
  'abc',
  'EFG',
  'cdefg',
  'zzzz',
  'abcdefgh',
  'tabcdefgh',
  'tabcdefgx',
  'bcdEFGh1jk',
  whole[0]!,
  whole[1]!.toLowerCase(),
  `${whole[1]}C`,
  'q',
  '%',
  '_',
  '\\',
)
const rounds = fc.array(
  fc.record({
    orders: fc.array(somePair, { maxLength: 12 }),
    fold: fc.constantFrom(0, 1, 3, 100),
    filter,
    page: fc.integer({ min: 1, max: 4 }),
    pageSize: fc.integer({ min: 1, max: 7 }),
  }),
  { minLength: 1, maxLength: 6 },
)

test('any filter, any page, folded or not: exactly the orders a plain scan would find', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (plan) => {
      const account = await newAccount()
      const all: Pair[] = []
      for (const round of plan) {
        await plant(account, round.orders)
        all.push(...round.orders)
        if (round.fold > 0) await fold(account, round.fold)
        const { page, pageSize } = round
        expect(await listed(account, round.filter, page, pageSize)).toEqual(
          expected(all, round.filter, page, pageSize),
        )
      }
    }),
    { numRuns: 60 },
  )
})

test('deep pages over many pairs are found without a scan, however uneven the orders lie', async () => {
  const account = await newAccount()
  const all: Pair[] = []
  for (let at = 0; at < 6_000; at++) {
    // Three receivers occur in long runs, three hundred others a few times each.
    const run = ['TrunONE', 'TrunTWO', 'TrunTHREE'][Math.floor(at / 1_000) % 3]!
    const rare = `Tx${(at * 7) % 300}y`
    all.push({ receiver: at % 5 === 0 ? rare : run, buyer: at % 2 === 0 ? 'Twallet' : '' })
  }
  await plant(account, all)
  while ((await fold(account, 1_700)) > 0);
  for (const address of ['TrunONE', 'run', 'Tx1', 'x', 'wallet', 'Tx250y', 'nobody', 'T']) {
    const { total } = expected(all, address, 1, 1)
    for (const share of [0, 0.2, 0.5, 0.8, 1]) {
      const page = 1 + Math.floor((total * share) / 100)
      expect([address, page, await listed(account, address, page, 100)]).toEqual([
        address,
        page,
        expected(all, address, page, 100),
      ])
    }
  }
})

test('an operator finds orders of all accounts by state, account and receiver, newest first, in pages', async () => {
  const [one, two] = [await newAccount(), await newAccount()]
  const sought = { receiver: 'Tsought', buyer: '' }
  await plant(one, [sought, sought, { receiver: 'Telse', buyer: 'Tsought' }])
  await plant(two, [sought])
  const start = `update orders.purchase_order set status = 'PROCESSING' where account_id = $1 and number = 2`
  await database.sql(start, [one])
  const search = (more: Partial<OrderSearch>) =>
    reads.search({ receiver: 'Tsought', limit: 10, ...more })
  const all = await search({})
  const found = all.map(({ account, number }) => `${account} ${number}`)
  expect(found.sort()).toEqual([`${one} 1`, `${one} 2`, `${two} 1`].sort())
  const ids = all.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted().reverse())
  expect(await search({ limit: 2 })).toEqual(all.slice(0, 2))
  expect(await search({ before: all[1]!.id })).toEqual(all.slice(2))
  expect(await search({ account: two })).toMatchObject([{ account: two, number: 1n }])
  expect(await search({ status: 'PROCESSING' })).toMatchObject([{ account: one, number: 2n }])
})

test('an operator finds old orders to a receiver without reading all orders', async () => {
  const [one, two] = [await newAccount(), await newAccount()]
  const old = { receiver: 'Told', buyer: '' }
  await plant(one, [old, { receiver: 'Tother', buyer: '' }, old])
  await plant(two, [old])
  for (const account of [one, two]) await fold(account, 10)
  const byPairs = (account: string | null, status: string | null) =>
    db.query(searchByReceiver, [status, account, 'Told', null, 10, 0])
  const found = (await byPairs(null, null)).map(({ account, number }) => `${account} ${number}`)
  expect(found.sort()).toEqual([`${one} 1`, `${one} 3`, `${two} 1`].sort())
  expect(await byPairs(two, 'PENDING')).toMatchObject([{ account: two, number: 1n }])
  expect(await byPairs(two, 'FAILED')).toEqual([])
})

test('an order belongs to the day on which it was completed', async () => {
  const account = await newAccount()
  await plant(account, [{ receiver: 'Tone', buyer: '' }])
  for (const change of [
    `status = 'PROCESSING'`,
    `status = 'COMPLETED', delegation_txids = '{x}', completed_at = '2030-01-02T00:00:00Z'`,
  ]) {
    await database.sql(`update orders.purchase_order set ${change} where account_id = $1`, [
      account,
    ])
  }
  const dayOf = (day: number) => new Date(Date.UTC(2030, 0, day))
  const on = (day: number) => db.query(readCompleted, [account, dayOf(day), dayOf(day + 1)])
  expect(await on(1)).toEqual([{ orders: 0n, energy: 0n }])
  expect(await on(2)).toEqual([{ orders: 1n, energy: 65_000n }])
})

test('pages far beyond the end are empty, with the right total', async () => {
  const account = await newAccount()
  await plant(account, [{ receiver: 'Tone', buyer: '' }])
  for (const address of ['', 'one']) {
    const page = Number.MAX_SAFE_INTEGER
    expect(await listed(account, address, page, 100)).toEqual({ total: 1, numbers: [] })
  }
})

test('the total and the page are of one moment, while orders are written and folded', async () => {
  const account = await newAccount()
  let writing = true
  const writer = (async () => {
    for (let at = 0; at < 60; at++) await plant(account, [{ receiver: 'Tsame', buyer: '' }])
    writing = false
  })()
  const folder = (async () => {
    while (writing) await fold(account, 3)
  })()
  let before = 0
  while (writing) {
    const { total, numbers } = await listed(account, 'same', 1, 5)
    expect(numbers[0] ?? 0).toBe(total)
    expect(total).toBeGreaterThanOrEqual(before)
    before = total
  }
  await Promise.all([writer, folder])
  expect((await listed(account, 'same', 1, 5)).total).toBe(60)
})

test('two workers that fold one account count each order once', async () => {
  const account = await newAccount()
  const pairs = Array.from({ length: 200 }, (_, at) => ({ receiver: `T${at % 7}`, buyer: '' }))
  await plant(account, pairs)
  const drain = async () => {
    for (let round = 0; round < 80; round++) await fold(account, 5)
  }
  await Promise.all([drain(), drain(), drain()])
  const [row] = await database.sql<{ orders: string; filed: string }>(
    `select (select sum(orders) from orders.pair where account_id = $1) as orders,
            (select count(*) from orders.filed_order where account_id = $1) as filed`,
    [account],
  )
  expect(row).toEqual({ orders: '200', filed: '200' })
})

test('a worker that starts finds the accounts it was not notified of', async () => {
  const accounts = [await newAccount(), await newAccount()]
  for (const account of accounts) await plant(account, [{ receiver: 'Tlate', buyer: '' }])
  const { loop } = createFolding({ db, clock: runtime.clock, log: silentLog })
  loop.start()
  await until('both are folded', async () => {
    const rows = await database.sql(
      'select from orders.folded where account_id = any ($1) and number = 1',
      [accounts],
    )
    return rows.length === 2
  })
  await loop.stop()
})
