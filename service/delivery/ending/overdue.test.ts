import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { type Db, openDb } from '../../db/index.ts'
import { silentLog, systemRuntime } from '../../kernel/index.ts'
import { noteOverdue, overdueRequests } from './conclude.sql.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const deadline = new Date('2030-01-01T10:00:00Z')
const later = new Date('2030-01-01T10:00:03Z')

/** An open request with one attempt, for which all of its Energy was delegated. */
async function delegatedFor(state: string, txid: string): Promise<string> {
  const [request, part, attempt] = [runtime.ids.next(), runtime.ids.next(), runtime.ids.next()]
  await database.sql(
    `insert into delivery.request (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, created_at)
     values ($1, 'T1', 65000, 3600, $2, 'open', '', $2)`,
    [request, deadline],
  )
  await database.sql(
    `insert into delivery.part (id, request_id, provider, energy, state) values ($1, $2, 'tronzap', 65000, 'failed')`,
    [part, request],
  )
  await database.sql(
    `insert into delivery.attempt (id, part_id, provider, state, energy, created_at)
     values ($1, $2, 'tronzap', $3, 65000, $4)`,
    [attempt, part, state, deadline],
  )
  await database.sql(
    `insert into delivery.delegation (attempt_id, txid, provider, owner_address, receiver_address, stake_sun, energy,
                                      block_number, delegated_at, reclaim_at)
     values ($1, $2, 'tronzap', 'T2', 'T1', 1, 65000, 7, $3, $3)`,
    [attempt, txid, deadline],
  )
  return request
}

test('what came for an attempt that was given up does not keep an order from being overdue', async () => {
  const givenUp = await delegatedFor('absent', 'aa')
  await delegatedFor('delivered', 'bb')
  const overdue = await db.query(overdueRequests, [deadline, later, 10, 600_000, [], []])
  expect(overdue.map(({ id }) => id)).toEqual([givenUp])
})

test('an attempt that could not be judged may have delivered: its request is not overdue', async () => {
  const request = await delegatedFor('absent', 'dd')
  const [attempt] = await database.sql<{ id: string }>(
    `select attempt_id as id from delivery.delegation where txid = 'dd'`,
  )
  const ids = async (notJudged: string[]) => {
    const values = [deadline, later, 10, 600_000, [], notJudged]
    return (await db.query(overdueRequests, values)).map(({ id }) => id)
  }
  expect(await ids([])).toContain(request)
  expect(await ids([attempt!.id])).not.toContain(request)
})

test('a deadline is judged when a later block is read, or 600 s after it was over', async () => {
  const waiting = await delegatedFor('absent', 'cc')
  const ids = async (now: Date, readTime: Date) => {
    await db.query(noteOverdue, [now, readTime, [], null])
    const rows = await db.query(overdueRequests, [now, readTime, 10, 600_000, [], []])
    return rows.map(({ id }) => id)
  }
  // Hours later by our clock, and the newest block read is not later than the deadline.
  const hours = new Date('2030-01-01T15:00:00Z')
  expect(await ids(hours, deadline)).not.toContain(waiting)
  expect(await ids(hours, later)).toContain(waiting)
  // A later block, and by our clock the two minutes are not over.
  expect(await ids(new Date(deadline.getTime() - 1), later)).not.toContain(waiting)

  const since = (seconds: number) =>
    database.sql(
      `update delivery.request set overdue_since = clock_timestamp() - make_interval(secs => $2) where id = $1`,
      [waiting, seconds],
    )
  await since(590)
  expect(await ids(hours, deadline)).not.toContain(waiting)
  await since(600)
  expect(await ids(hours, deadline)).toContain(waiting)
})
