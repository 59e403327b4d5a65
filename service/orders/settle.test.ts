import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { createEvents } from '../events/index.ts'
import { silentLog as log, systemRuntime } from '../kernel/index.ts'
import { createLedger } from '../ledger/index.ts'
import { createAnnounce, type OnFinal } from './announce.ts'
import { createSettle } from './settle.ts'

const runtime = systemRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

/** An open order in the state in which delivery finds it. */
async function underWay(): Promise<string> {
  const [id, account] = [runtime.ids.next(), runtime.ids.next()]
  await database.sql(
    `insert into identity.account (id, name, created_at) values ($1, 'x', now())`,
    [account],
  )
  await database.sql(
    `insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address,
                                        buyer_address, price_sun, source, trace, created_at, updated_at)
     values ($1, $2, 1, 'PROCESSING', 65000, 'T1', '', 10, 'api', 't', now(), now())`,
    [id, account],
  )
  return id
}

const settleWith = (participant: OnFinal) => {
  const events = createEvents({ db, runtime, log })
  const announce = createAnnounce({ events, onFinal: [participant] })
  return createSettle({ runtime, ledger: createLedger({ db, runtime }), announce })
}

test('an order whose end a participant cannot follow stays under way, and no money moves', async () => {
  const id = await underWay()
  const settle = settleWith(async () => {
    throw new Error('cannot follow')
  })
  const settled = db.transaction((tx) => settle(tx, [{ id, state: 'delivered', txids: ['aa'] }]))
  await expect(settled).rejects.toThrow('cannot follow')
  const orders = 'select status from orders.purchase_order where id = $1'
  expect(await database.sql(orders, [id])).toEqual([{ status: 'PROCESSING' }])
  expect(await database.sql('select from ledger.movement where reference_id = $1', [id])).toEqual(
    [],
  )
})
