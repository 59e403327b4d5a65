import { isRefusal, Verbatim } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { createOrderAnswers, type OrderAnswers } from './orderAnswers.ts'
import { createReadOrders } from './readOrders.ts'

const runtime = systemRuntime()
const ids = {
  account: runtime.ids.next(),
  stranger: runtime.ids.next(),
  order: runtime.ids.next(),
  lost: runtime.ids.next(),
}
let database: TestDatabase
let db: Db
/** The number of rows read for each answer. */
const read: number[] = []
let answerTo: OrderAnswers
let timeline = 1
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  const counted: Db = {
    ...db,
    timeline: () => timeline,
    async query(...asked) {
      const rows = await db.query(...asked)
      read.push(rows.length)
      return rows
    },
  }
  answerTo = createOrderAnswers(counted, createReadOrders(counted))
  await database.sql(
    `insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address,
                                        buyer_address, price_sun, source, trace, created_at, updated_at)
     values ($1, $2, 1, 'PENDING', 65000, 'T', '', 1, 'api', 't', $3, $3)`,
    [ids.order, ids.account, runtime.clock.now()],
  )
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function statusSent(account = ids.account): Promise<string> {
  const answer = await answerTo(account, ids.order)
  if (answer instanceof Verbatim) return JSON.parse(answer.body).status
  return isRefusal(answer) ? answer.refused : 'nothing'
}

const move = (change: string) =>
  database.sql(
    `update orders.purchase_order set ${change}, updated_at = date_trunc('milliseconds', clock_timestamp()) where id = $1`,
    [ids.order],
  )

test('an open order is read for each answer, a final one once', async () => {
  expect(await statusSent()).toBe('PENDING')
  expect(await statusSent()).toBe('PENDING')
  await move(`status = 'PROCESSING'`)
  expect(await statusSent()).toBe('PROCESSING')
  expect(await statusSent()).toBe('PROCESSING')
  expect(read).toEqual([1, 1, 1, 1])
  expect(await statusSent(ids.stranger)).toBe('order_not_found')
  await move(`status = 'FAILED', error_message = 'x'`)
  expect(await statusSent()).toBe('FAILED')
  // Final: the database is not queried any more.
  const questions = read.length
  expect(await statusSent()).toBe('FAILED')
  expect(await statusSent(ids.stranger)).toBe('order_not_found')
  expect(read.length).toBe(questions)
})

test('when another server has taken over, a final order is confirmed once', async () => {
  timeline += 1
  const questions = read.length
  expect(await statusSent()).toBe('FAILED')
  expect(await statusSent()).toBe('FAILED')
  expect(read.slice(questions)).toEqual([1])
})

test('the row of an order changes only together with its state', async () => {
  for (const change of [`buyer_address = 'T'`, `price_sun = 2`]) {
    await expect(move(change), change).rejects.toThrow('was to change and stay FAILED')
  }
})

const plantLost = () =>
  database.sql(`
    insert into orders.purchase_order
    select (jsonb_populate_record(o, jsonb_build_object('id', '${ids.lost}', 'number', 2, 'status', 'PENDING', 'error_message', null))).*
      from orders.purchase_order o where o.id = '${ids.order}'`)

test('an order that was set back and reached its state again is shown with its new time', async () => {
  await plantLost()
  const before = await answerTo(ids.account, ids.lost)
  const guard = 'alter table orders.purchase_order'
  await database.sql(`${guard} disable trigger order_changes_with_its_state`)
  await database.sql(
    `update orders.purchase_order set updated_at = updated_at + interval '1 second' where id = $1`,
    [ids.lost],
  )
  await database.sql(`${guard} enable trigger order_changes_with_its_state`)
  expect(await answerTo(ids.account, ids.lost)).not.toEqual(before)
})

test('an order that was lost with a failed server is not found', async () => {
  expect(await answerTo(ids.account, ids.lost)).toBeInstanceOf(Verbatim)
  await database.sql(`delete from orders.purchase_order where id = $1`, [ids.lost])
  for (let time = 0; time < 2; time++) {
    expect(await answerTo(ids.account, ids.lost)).toMatchObject({ refused: 'order_not_found' })
  }
})

test.each(['', 'x', `${ids.order}0`, ids.order.toUpperCase()])(
  '"%s" is no order, and nobody is asked',
  async (id) => {
    const questions = read.length
    expect(await answerTo(ids.account, id)).toMatchObject({ refused: 'order_not_found' })
    expect(read).toHaveLength(questions)
  },
)
