import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChainRoom } from '../../proof/testing/chainRoom.ts'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'

// Which block a transaction of ours may refer to, and when none is built at all.

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({
    urls,
    connections: 2,
    runtime: systemRuntime(),
    log: silentLog,
    name: 'test',
  })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** A process that has just started: it has looked once. */
async function start() {
  const chain = openChainRoom(db)
  await chain.lag.look()
  return chain
}

/** Sets the ages of the newest block read and of the node's head. */
async function plant(readSecondsAgo: number, headSecondsAgo: number) {
  await database.sql('delete from chain.cursor; delete from chain.head')
  const ago = 'clock_timestamp() - make_interval(secs => $1)'
  await database.sql(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values (7, 'id', ${ago}, 1, 'solid', ${ago})`,
    [readSecondsAgo],
  )
  await database.sql(
    `insert into chain.head (number, block_time, first_seen_at, seen_at)
     values (7, ${ago}, clock_timestamp(), clock_timestamp())`,
    [headSecondsAgo],
  )
}

test('nothing is built on a head older than the life of the transaction, or nearly so', async () => {
  const chain = await start()
  await plant(0, 0)
  expect(await chain.ground(60_000)).toMatchObject({ solidId: 'solid' })
  await plant(40, 40)
  expect(await chain.ground(60_000)).toMatchObject({ solidId: 'solid' })
  await plant(50, 50)
  expect(await chain.ground(60_000)).toBeUndefined()
  expect(await chain.ground(120_000)).toMatchObject({ solidId: 'solid' })
  await plant(130, 130)
  expect(await chain.ground(120_000)).toBeUndefined()
})

test('after a start nothing is built before the cursor is near the head', async () => {
  const chain = await start()
  await plant(30, 0)
  expect(await chain.ground(120_000)).toBeUndefined()
  await plant(15, 0)
  expect(await chain.ground(120_000)).toBeDefined()
  // Only after a start: sold Energy is still delivered while the scanner lags a little.
  await plant(30, 0)
  expect(await chain.ground(120_000)).toBeDefined()
  expect(await (await start()).ground(120_000)).toBeUndefined()
})
