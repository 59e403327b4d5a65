import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import { createBooks } from './index.ts'

const runtime = testRuntime()
const CLIENT = '01930000-0000-7000-8000-00000000c001'
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'test' })
  await database.sql(`insert into ledger.own_account (name) values ('cost:provider:bazaar')`)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

let versions = 0
const book = (kind: string, reference: string, debit: string, credit: string, amount: number) => {
  versions += 1
  const now = runtime.clock.now()
  return database.sql(
    `insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit, amount_sun,
                                  description, created_at)
     values ($1, $2, $3, $4, $5, 0, $6, $7, $8, '', $9)`,
    [kind, reference, runtime.ids.next(), CLIENT, versions, debit, credit, amount, now],
  )
}

test('a credit for Energy that was taken back is a cost of its seller, for the client and product of its order', async () => {
  const books = createBooks({ db, runtime, log: silentLog })
  const order = runtime.ids.next()
  await book('purchase', order, 'client', 'escrow:orders', 1_000)
  await book('reclaim_credit', `${order}:ab12`, 'cost:provider:bazaar', 'client', 400)
  const by = ['product', 'client', 'provider'] as const
  for (const isRolled of [false, true]) {
    if (isRolled) {
      await database.sql(`select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 100000)`)
      await books.loop.runOnce()
    }
    const { rows } = await books.report({ from: '2020-01-01', to: '2099-01-01' }, by)
    const of = { product: 'api', client: CLIENT, provider: 'bazaar' }
    expect(rows).toMatchObject([{ ...of, providerCost: 400n, margin: -400n }])
  }
})
