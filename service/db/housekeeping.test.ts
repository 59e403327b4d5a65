import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { silentLog, systemClock, systemRuntime } from '../kernel/index.ts'
import { createHousekeeping, type Db, openDb, type Retention, readAside } from './index.ts'

const DAY_MS = 86_400_000
const clock = systemClock()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  const runtime = systemRuntime(clock)
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  await database.sql(`create schema old; grant usage on schema old to ergon_app`)
})
beforeEach(async () => {
  await database.sql(`drop table if exists old.first, old.second`)
  for (const name of ['first', 'second']) {
    await database.sql(`create table old.${name} (id int primary key, at timestamptz not null);
      grant select, delete on old.${name} to ergon_app`)
  }
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

let names = 0
/** A connection keeps one text under a name, so each has a name of its own. */
function byAge(table: string): Retention {
  names += 1
  const text = `with gone as (delete from ${table} where id in (
      select id from ${table} where at < $1 order by at limit $2) returning id)
    select count(*) as rows from gone`
  return { table, keptMs: 30 * DAY_MS, prune: { byAge: { name: `test.old${names}`, text } } }
}
const plant = (table: string, days: number, count: number, first = 1) =>
  database.sql(
    `insert into ${table} select n, $1 from generate_series($2::int, $2::int + $3::int - 1) n`,
    [new Date(clock.now().getTime() - days * DAY_MS), first, count],
  )
const left = async (table: string) =>
  (await database.sql<{ count: number }>(`select count(*)::int as count from ${table}`))[0]!.count
const open = (tables: Retention[]) => createHousekeeping({ db, clock, log: silentLog }, tables)

test('old rows go in slices, young ones stay until their time', async () => {
  await plant('old.first', 31, 2_500)
  await plant('old.first', 29, 5, 5_000)
  const loop = open([byAge('old.first')])
  expect([await loop.runOnce(), await left('old.first')]).toEqual([1, 1_505])
  expect([await loop.runOnce(), await left('old.first')]).toEqual([1, 505])
  expect([await loop.runOnce(), await left('old.first')]).toEqual([0, 5])
  clock.setAheadMs(clock.aheadMs() + 2 * DAY_MS)
  await loop.runOnce()
  expect(await left('old.first')).toBe(0)
})

test('a table that fails is put aside, and the others go on in the same round', async () => {
  await plant('old.first', 31, 3)
  await plant('old.second', 31, 3)
  await database.sql(`create function old.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'not this one'; end $$;
    create trigger refuse before delete on old.first for each row execute function old.refuse()`)
  const loop = open([byAge('old.first'), byAge('old.second')])
  await loop.runOnce()
  expect([await left('old.first'), await left('old.second')]).toEqual([3, 0])
  const { rows } = await readAside(db, clock.now(), 10)
  expect(rows).toMatchObject([
    { loop: 'db.housekeeping', subject: 'table old.first', error: 'not this one', failures: 1 },
  ])
  await database.sql(`drop trigger refuse on old.first`)
  clock.setAheadMs(clock.aheadMs() + 1_000)
  await loop.runOnce()
  expect(await left('old.first')).toBe(0)
  expect((await readAside(db, clock.now(), 10)).rows).toEqual([])
})

test('a table without an order of age is gone through in turn, and then from the beginning', async () => {
  await plant('old.first', 31, 3)
  await plant('old.first', 31, 3, 11)
  // Ten keys at a time.
  const text = `with gone as (delete from old.first
      where id > $3::int and id <= $3::int + 10 and at < $1 and $2::int > 0 returning id)
    select (select count(*) from gone) as rows, case when $3::int < 10 then '10' end as next`
  const inTurn = { name: 'test.inTurn', text }
  const table = { table: 'old.first', keptMs: 30 * DAY_MS, prune: { inTurn, first: '0' } }
  const loop = open([table])
  const counts: number[] = []
  for (let round = 0; round < 2; round++) {
    await loop.runOnce()
    counts.push(await left('old.first'))
  }
  expect(counts).toEqual([3, 0])
  await plant('old.first', 31, 1)
  await loop.runOnce()
  expect(await left('old.first')).toBe(0)
})
