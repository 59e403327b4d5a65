import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { rowsTouched } from '../../proof/testing/touched.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { setInterest, takePending } from './store.ts'

const runtime = systemRuntime()
const [follower, other] = [runtime.ids.next(), runtime.ids.next()]
const EVENTS = 3_000
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  // One connection: it keeps the plan that it made while the table was nearly empty.
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
  for (const account of [follower, other]) {
    await database.sql(`insert into identity.account values ($1, 'x', '', now())`, [account])
  }
  await db.query(setInterest, [follower, 'test', ['balance.changed'], runtime.clock.now()])
  await emit(follower, 1)
  await database.sql('analyze events.event, events.pending')
  for (let time = 0; time < 10; time++) await take(1)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const emit = (account: string, count: number) =>
  database.sql(
    `select events.emit_many(array_agg(uuidv7()), array_agg($1::uuid), array_agg('balance.changed'::text),
              array_agg(n::text), array_agg(now()), array_agg('t'::text), array_agg('{}'::json))
       from generate_series(1, $2::integer) n`,
    [account, count],
  )
const take = (most: number) => db.query(takePending, ['test', most, []])

test('what is taken is found by its key, however many events there are', async () => {
  await emit(other, EVENTS)
  await emit(follower, 5)
  await db.transaction(async (tx) => {
    const touched = await rowsTouched(tx, { schema: 'events', table: 'event_' }, async () => {
      const taken = await tx.query(takePending, ['test', 3, []])
      expect(taken.map(({ account }) => account)).toEqual([follower, follower, follower])
      expect(taken.map(({ id }) => id)).toEqual(taken.map(({ id }) => id).toSorted())
    })
    expect(touched).toBe(3)
  })
  expect(await take(10)).toHaveLength(2)
  expect(await take(10)).toHaveLength(0)
})
