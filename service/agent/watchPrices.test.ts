import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog as log, systemRuntime } from '../kernel/index.ts'
import { createPricing } from '../pricing/index.ts'
import { riskUnder } from './watchPrices.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, runtime, log, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('each configuration at risk is reported once, however many there are', async () => {
  const account = runtime.ids.next()
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [account],
  )
  // Two and a half pages. 0 does not occur in addresses.
  await database.sql(
    `insert into agent.config (id, account_id, public_id, mode, address, proven, title, energy_per_unit,
                               base_payment_sun, max_units, status, created_at, updated_at)
     select gen_random_uuid(), $1, translate(lpad(n::text, 22, '1'), '0', 'x'), 'own',
            'T' || translate(lpad(n::text, 33, '1'), '0', 'x'), false, '', 65000, 3000000, 1, 'active', now(), now()
       from generate_series(1001, 2250) n`,
    [account],
  )
  const pricing = createPricing({
    db,
    runtime,
    log,
    wholesale: () => undefined,
    groupOf: () => '',
  })
  await pricing.refresh()
  const dear = { ...pricing.terms(), schedule: Array(24).fill(90n) }
  const found = await riskUnder({ db, pricing }, dear)
  expect(found).toHaveLength(1_250)
  expect(new Set(found.map(({ id }) => id)).size).toBe(1_250)
})
