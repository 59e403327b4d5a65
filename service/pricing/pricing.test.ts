import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { createPricing } from './pricing.ts'
import { readTerms } from './store.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a read that was asked before a change and answers after it does not undo it', async () => {
  const answers: Array<() => void> = []
  let holds = false
  const query: Db['query'] = async (statement, values) => {
    const rows = await db.query(statement, values)
    const late = holds && Object.is(statement, readTerms)
    holds &&= !late
    if (late) await new Promise<void>((resolve) => answers.push(resolve))
    return rows
  }
  const none = { wholesale: () => undefined, groupOf: () => '' }
  const pricing = createPricing({ db: { ...db, query }, runtime, log: silentLog, ...none })
  await pricing.refresh()
  holds = true
  const early = pricing.refresh()
  await expect.poll(() => answers.length).toBe(1)
  await pricing.changeTerms({ minAmount: 100_000n })
  answers[0]!()
  await early
  expect(pricing.terms().minAmount).toBe(100_000n)
})
