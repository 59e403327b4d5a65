import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createBooks } from './index.ts'

const runtime = testRuntime()
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

test('days that cannot be compared do not keep the others from it', async () => {
  const { loop } = createBooks({ db, runtime, log: silentLog })
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round += 1) await loop.runOnce()
    return database.sql('select count(*)::int as open from books.day where compared_at is null')
  }
  await database.sql(
    `insert into books.day (day) select now()::date - n from generate_series(1, 13) n`,
  )
  // The ten newest fail, as many as one round compares.
  await database.sql(
    `create function books.refuse_newest() returns trigger language plpgsql as
     $$ begin if new.day >= now()::date - 10 then raise 'too long'; end if; return new; end $$;
     create trigger refuse_newest before update on books.day for each row execute function books.refuse_newest()`,
  )
  expect(await rounds(2)).toEqual([{ open: 10 }])
  await database.sql('drop function books.refuse_newest cascade')
  expect(await rounds(2)).toEqual([{ open: 0 }])
})
