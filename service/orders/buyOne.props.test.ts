import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { systemRuntime } from '../kernel/index.ts'
import { buyMany, buyOne } from './purchaseGroup.sql.ts'

// A purchase alone and in a group gives the same result: one database buys every batch as a group,
// the other buys its rows one after the other, and everything they write is compared.

const { ids, clock } = systemRuntime()
const ACCOUNTS = Array.from({ length: 3 }, () => ids.next())
const KEYS = ['a', 'b', '"; drop, {table} \\', null, null]
const HOUR_MS = 3_600_000
const WAIT_MS = 2_000
const TABLES = {
  'orders.purchase_order': 'account_id, number',
  'orders.idempotency_key': 'account_id, key',
  'ledger.account': 'id',
  'ledger.movement': 'client_id, version',
  'events.event': 'id',
  'events.pending': 'reader, event_id',
}

type Side = { database: TestDatabase; app: pg.Client; twin: pg.Client }
let group: Side
let alone: Side
let nowMs = clock.now().getTime()

beforeAll(async () => {
  ;[group, alone] = await Promise.all([openSide(), openSide()])
})
afterAll(async () => {
  for (const { database, app, twin } of [group, alone]) {
    await app.end()
    await twin.end()
    await database.drop()
  }
})

async function openSide(): Promise<Side> {
  const database = await createTestDatabase()
  const connect = async (role: 'ergon_app' | 'ergon_admin') => {
    const client = new pg.Client({
      connectionString: database.url(role),
      options: '-c search_path=',
    })
    await client.connect()
    return client
  }
  for (const account of ACCOUNTS) {
    const values = [account]
    await database.sql(`insert into identity.account values ($1, 'x', '', now())`, values)
    await database.sql(`select ledger.open_account($1)`, values)
    await database.sql(
      `insert into events.interest values
         ($1, 'first', '{balance.changed,balance.credited,balance.low}', now()), ($1, 'second', '{balance.changed}', now())`,
      values,
    )
  }
  return { database, app: await connect('ergon_app'), twin: await connect('ergon_admin') }
}

/** Round amounts, so that balances, prices and thresholds are often equal. */
const tens = (max: number) => fc.nat(max).map((count) => count * 10)

/** Changes between batches, applied to both databases. */
const happening = fc.oneof(
  fc.record({ sql: fc.constant('update orders.selling set enabled = $1'), value: fc.boolean() }),
  fc.record({
    sql: fc.constant('update ledger.account set balance_sun = $1, overdrawn = false'),
    value: tens(40),
  }),
  fc.record({ sql: fc.constant('update ledger.account set reserved_sun = $1'), value: tens(3) }),
  fc.record({ sql: fc.constant('update ledger.account set withheld_sun = $1'), value: tens(3) }),
  fc.record({
    sql: fc.constant('update ledger.account set low_threshold_sun = nullif($1::bigint, 0)'),
    value: tens(20),
  }),
  fc.record({
    sql: fc.constant('update ledger.account set balance_sun = -($1::bigint), overdrawn = true'),
    value: fc.integer({ min: 1, max: 5 }),
  }),
)

const wanted = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  key: fc.constantFrom(...KEYS),
  refused: fc.constantFrom(true, false, false, false),
  price: tens(12).map((price) => price + 10),
})
type Wanted = { account: string; key: string | null; refused: boolean; price: number }

/** Within a group a key occurs once: the process itself answers a duplicate. */
const batch = fc.uniqueArray(wanted, {
  minLength: 1,
  maxLength: 9,
  selector: ({ account, key }) => (key === null ? Symbol() : `${account} ${key}`),
})

const step = fc.record({
  before: fc.array(happening, { maxLength: 2 }),
  hours: fc.constantFrom(0, 0, 1, 30),
  batch,
  /** Positions in the batch whose key is being bought elsewhere. */
  busy: fc.array(fc.nat(8), { maxLength: 2 }),
  /** Accounts that another transaction holds; then nobody waits for them. */
  held: fc.oneof(fc.constant([]), fc.subarray(ACCOUNTS)),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The same key twice, in flight the second time: random batches seldom contain it. */
const inFlightAgain = [[], [0]].map((busy): [Step] => {
  const wealth = 'update ledger.account set balance_sun = $1, overdrawn = false'
  const again = { account: ACCOUNTS[0]!, key: 'a', refused: false, price: 10 }
  return [{ before: [{ sql: wealth, value: 400 }], hours: 0, batch: [again], busy, held: [] }]
})

function rowsOf(wants: Wanted[]): unknown[][] {
  const at = new Date(nowMs).toISOString()
  return wants.map(({ account, key, refused, price }) => [
    ...[ids.next(), account, key, refused, price * 1_000, 'TReceiver', 'TBuyer', price],
    ...[`0.${price}`, 'api', at, 'trace "x"', `for {${price}}, really`],
    ...[ids.next(), ids.next(), ids.next()],
  ])
}

async function buyTogether({ app }: Side, rows: unknown[][], waitMs: number) {
  const columns = rows[0]!.map((_, place) => rows.map((row) => row[place]))
  return (await app.query(buyMany.text, [...columns, waitMs])).rows
}

async function buyOneByOne({ app }: Side, rows: unknown[][], waitMs: number) {
  const answers = []
  for (const row of rows) answers.push(...(await app.query(buyOne.text, [...row, waitMs])).rows)
  return answers
}

async function writtenBy({ database }: Side) {
  const written: Record<string, unknown> = {}
  for (const [table, order] of Object.entries(TABLES)) {
    const rows = await database.sql<object>(`select * from ${table} order by ${order}`)
    // The two sides number their transactions by themselves.
    written[table] = rows.map((row) => ({ ...row, written_by: undefined }))
  }
  return written
}

test('a purchase alone and the same purchase in a group: same outcomes, bytes and rows', async () => {
  const seen = new Set<string>()
  const run = async (given: Step) => {
    nowMs += given.hours * HOUR_MS
    for (const { database } of [group, alone]) {
      for (const { sql, value } of given.before) await database.sql(sql, [value])
    }
    const rows = rowsOf(given.batch)
    const busy = given.busy.flatMap((place) => {
      const { account, key } = given.batch[place] ?? { key: null }
      return key === null ? [] : [[account, key]]
    })
    for (const { twin } of [group, alone]) {
      for (const key of busy)
        await twin.query('select pg_advisory_lock(orders.key_lock($1, $2))', key)
    }
    for (const { twin } of [group, alone]) {
      await twin.query('begin')
      await twin.query('select from ledger.account where id = any ($1) for update', [given.held])
    }
    const waitMs = given.held.length > 0 || given.hours > 0 ? 0 : WAIT_MS
    const together = await buyTogether(group, rows, waitMs)
    const oneByOne = await buyOneByOne(alone, rows, waitMs)
    for (const { twin } of [group, alone]) {
      await twin.query('commit')
      await twin.query('select pg_advisory_unlock_all()')
    }
    expect(oneByOne).toEqual(together)
    expect(await writtenBy(alone)).toEqual(await writtenBy(group))
    for (const { outcome } of together) seen.add(outcome)
  }
  const how = { numRuns: 150, endOnFailure: true, examples: inFlightAgain }
  await fc.assert(fc.asyncProperty(step, run), how)
  // Check that every outcome occurred: a property over trivial inputs would hold too.
  const outcomes = ['accepted', 'replayed', 'in_flight', 'refused', 'selling_off', 'insufficient']
  expect([...seen].sort()).toEqual([...outcomes, 'locked'].sort())
})
