import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { systemRuntime } from '../kernel/index.ts'

// ledger.post_one is post_many of one: the same balance or the same refusal, the same rows.

const { ids } = systemRuntime()
const CLIENTS = [ids.next(), ids.next()]
const STRANGER = ids.next()
const TABLES = {
  'ledger.account': 'id',
  'ledger.movement': 'client_id, version',
  'events.event': 'id',
  'events.pending': 'reader, event_id',
}
const ONE = `select ledger.post_one($1, $2, $3, $4, $5, $6, 'words', $7, 'trace', $8, $9) as balance`
const MANY = `
  select balance_after_sun as balance
    from ledger.post_many(array[$1::uuid], array[$2::uuid], array[$3], array[$4], array[$5::bigint], array[$6],
                          array['words'], array[$7::timestamptz], array['trace'], array[$8::uuid], array[$9::uuid])`

let one: TestDatabase
let many: TestDatabase
beforeAll(async () => {
  ;[one, many] = await Promise.all([open(), open()])
})
afterAll(async () => {
  await one.drop()
  await many.drop()
})

async function open(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  for (const client of CLIENTS) {
    await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [client])
    await database.sql(`select ledger.open_account($1)`, [client])
    await database.sql(
      `insert into events.interest values
         ($1, 'first', '{balance.changed,balance.credited,balance.low}', now()), ($1, 'second', '{balance.changed}', now())`,
      [client],
    )
  }
  return database
}

const tens = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * 10)
const posting = fc.record({
  client: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...CLIENTS) }, fc.constant(STRANGER)),
  kind: fc.constantFrom('deposit', 'purchase', 'refund', 'deposit_reversal'),
  reference: fc.nat(60).map(String),
  amount: tens(-12, 12),
  counter: fc.constantFrom('escrow:orders', 'asset:hot', 'client'),
  held: tens(0, 2),
  threshold: tens(0, 15),
})

async function outcomeOf(database: TestDatabase, text: string, values: unknown[]) {
  try {
    return await database.sql(text, values)
  } catch (error) {
    const { message, constraint } = error as { message: string; constraint?: string }
    return { message, constraint }
  }
}

async function written(database: TestDatabase) {
  const rows: Record<string, unknown> = {}
  for (const [table, order] of Object.entries(TABLES)) {
    const found = await database.sql<object>(`select * from ${table} order by ${order}`)
    // The two sides number their transactions by themselves.
    rows[table] = found.map((row) => ({ ...row, written_by: undefined }))
  }
  return rows
}

test('one movement posted alone and in an array of one: same balance or refusal, same rows', async () => {
  const refusals = new Set<string | undefined>()
  const run = async (given: typeof posting extends fc.Arbitrary<infer T> ? T : never) => {
    const { client, kind, reference, amount, counter, held, threshold } = given
    const prepare = `update ledger.account set reserved_sun = $1, low_threshold_sun = nullif($2::bigint, 0)`
    for (const database of [one, many]) await database.sql(prepare, [held, threshold])
    const values = [ids.next(), client, kind, reference, amount, counter, new Date()]
    values.push(ids.next(), ids.next())
    const alone = await outcomeOf(one, ONE, values)
    expect(alone).toEqual(await outcomeOf(many, MANY, values))
    expect(await written(one)).toEqual(await written(many))
    if (!Array.isArray(alone)) refusals.add(alone.constraint ?? alone.message)
  }
  await fc.assert(fc.asyncProperty(posting, run), { numRuns: 150, seed: 7, endOnFailure: true })
  expect(refusals).toContain('spending_within_balance')
  expect(refusals).toContain('one_movement_per_fact')
  expect(refusals).toContain('a movement names an account that the ledger does not have')
})
