import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { createApart, type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createPolling } from './polling.ts'
import { registerProviders } from './providers.sql.ts'

// Polls within a second of one another: by the time of the database, no claim is due again in that time.

const REST_MS = 10_000
const NAMES = ['bazaar', 'market', 'own_stake']
const runtime = testRuntime()
const log = silentLog
let database: TestDatabase
let db: Db
let asked: string[] = []
const away = new Set<string>()

beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log, name: 'test' })
  await database.sql('delete from providers.provider')
  await db.query(registerProviders, [NAMES])
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('who stops answering at rest is asked again in the next round, and then rests like the others', async () => {
  const { clock } = runtime
  const apart = createApart({ db, clock, log }, { loop: 'test', kind: 'provider', pauseMax: 1 })
  const { loop } = createPolling({
    db,
    clock,
    log,
    apart,
    async pollOne({ name }) {
      asked.push(name)
      return !away.has(name)
    },
  })
  const round = async (afterMs: number) => {
    runtime.pass(afterMs)
    asked = []
    await loop.runOnce()
    return asked.toSorted()
  }
  await database.sql('update providers.provider set polled_at = null')
  expect(await round(REST_MS)).toEqual(NAMES)
  expect(await round(1_000)).toEqual([])
  away.add('market')
  await database.sql('update providers.provider set polled_at = null')
  expect(await round(REST_MS)).toEqual(NAMES)
  expect(await round(1_000)).toEqual(NAMES)
  expect(await round(1_000)).toEqual([])
})
