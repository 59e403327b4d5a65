// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// Final orders are answered from memory; nobody may be able to tell.

let market: Market
let client: TestAccount
let id: string
beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('100')
  id = (await market.buy(client)).body.order_id
  await until('COMPLETED', async () => {
    await market.mineWhenRead()
    const [row] = await market.database.sql(
      'select from orders.purchase_order where id = $1 and completed_at is not null',
      [id],
    )
    return row !== undefined
  })
})
afterAll(() => market.close())

test('200 the same bytes each time, and the same order as in the list', async () => {
  const first = await market.get(client, `/order/${id}`)
  const second = await market.get(client, `/order/${id}`)
  expect(first.body.status).toBe('COMPLETED')
  expect(second.text).toBe(first.text)
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  const listed = await market.get(client, '/orders')
  expect(listed.text).toContain(first.text)
})

test("404 somebody else's final order looks exactly like no order, before and after it is known", async () => {
  const stranger = await market.newAccount()
  const unknown = await market.get(stranger, `/order/${client.account_id}`)
  await market.get(client, `/order/${id}`)
  const foreign = await market.get(stranger, `/order/${id}`)
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
  expect(foreign.headers.get('content-type')).toBe(unknown.headers.get('content-type'))
})
