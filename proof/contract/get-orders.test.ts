// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { linkWallet, type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let market: Market
let client: TestAccount
/** Oldest first: receivers 1, 2, 1, 2, 1. */
const bought: { id: string; receiver: string }[] = []
beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('100')
  for (const place of [1, 2, 1, 2, 1]) {
    const receiver = market.receivers[place]!
    const { body } = await market.buy(client, { body: { receiver_address: receiver } })
    bought.push({ id: body.order_id, receiver })
  }
})
afterAll(() => market.close())

type Page = { orders: { id: string }[]; total: number; page: number; page_size: number }

const list = (query = '', account = client) => market.get(account, `/orders${query}`)
async function ids(query: string): Promise<{ total: number; ids: string[] }> {
  const { status, body } = (await list(query)) as { status: number; body: Page }
  expect(status).toBe(200)
  return { total: body.total, ids: body.orders.map((order) => order.id) }
}
const newestFirst = (receiver?: string) => {
  const matching = bought.filter((order) => !receiver || order.receiver === receiver)
  return matching.map(({ id }) => id).reverse()
}

test('200 newest first, page 1 of 20 by default, items in the shape of GET /order/{id}', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['orders', 'total', 'page', 'page_size'])
  expect([body.total, body.page, body.page_size]).toEqual([5, 1, 20])
  expect(body.orders.map(({ id }: { id: string }) => id)).toEqual(newestFirst())
  const single = (await market.get(client, `/order/${bought[0]!.id}`)).body
  expect(Object.keys(body.orders[4])).toEqual(Object.keys(single))
})

test('pages are cut by page_size; a page beyond the end is empty with the same total', async () => {
  expect(await ids('?page=1&page_size=2')).toEqual({ total: 5, ids: newestFirst().slice(0, 2) })
  expect(await ids('?page=2&page_size=2')).toEqual({ total: 5, ids: newestFirst().slice(2, 4) })
  expect(await ids('?page=3&page_size=2')).toEqual({ total: 5, ids: newestFirst().slice(4) })
  expect(await ids('?page=4&page_size=2')).toEqual({ total: 5, ids: [] })
  const far = await list('?page=999999999999999&page_size=100')
  expect(far.body).toEqual({ orders: [], total: 5, page: 999_999_999_999_999, page_size: 100 })
})

test('an account without orders has an empty first page', async () => {
  const { body } = await list('', await market.newAccount())
  expect(body).toEqual({ orders: [], total: 0, page: 1, page_size: 20 })
})

test('receiver_address is a part of the receiver, in any case', async () => {
  const [, one, two] = market.receivers as [string, string, string]
  for (const part of [one.slice(3, 20), one.slice(3, 20).toLowerCase(), one.slice(-12)]) {
    const found = { total: 3, ids: newestFirst(one) }
    expect([part, await ids(`?receiver_address=${part}`)]).toEqual([part, found])
  }
  expect(await ids(`?receiver_address=${two.slice(5, 15)}&page=2&page_size=1`)).toEqual({
    total: 2,
    ids: newestFirst(two).slice(1),
  })
  expect(await ids('?receiver_address=T')).toEqual({ total: 5, ids: newestFirst() })
  expect(await ids('?receiver_address=')).toEqual({ total: 5, ids: newestFirst() })
})

test('a full 34-character address is an exact match, whatever its case', async () => {
  const [, one] = market.receivers as [string, string]
  const found = { total: 3, ids: newestFirst(one) }
  expect(one).toHaveLength(34)
  for (const address of [one, one.toLowerCase(), one.toUpperCase()]) {
    expect([address, await ids(`?receiver_address=${address}`)]).toEqual([address, found])
  }
  const other = `${one.slice(0, -1)}${one.endsWith('a') ? 'b' : 'a'}`
  expect(await ids(`?receiver_address=${other}`)).toEqual({ total: 0, ids: [] })
  expect(await ids(`?receiver_address=${one}x`)).toEqual({ total: 0, ids: [] })
})

test('the buyer address is looked in too', async () => {
  const account = await market.fundedAccount('100')
  const wallet = market.receivers[5]!
  await linkWallet(market, account, wallet)
  await market.buy(account)
  for (const part of [wallet, wallet.slice(4, 12).toLowerCase()]) {
    expect((await list(`?receiver_address=${part}`, account)).body.total).toBe(1)
  }
})

test('wildcards, quotes and other signs in the filter mean themselves and match nothing', async () => {
  for (const text of ['%', '_', '\\', '%25', "' or ''='", 'T_', 'T%', '*', '.', '💰', ' ']) {
    const { status, body } = await list(`?receiver_address=${encodeURIComponent(text)}`)
    expect([text, status, body.total]).toEqual([text, 200, 0])
  }
})

test('folding the filter table behind the purchases changes no answer', async () => {
  const account = { account_id: client.account_id }
  await until('folded', async () => {
    const rows = await market.database.sql<{ number: string }>(
      'select number from orders.folded where account_id = $1',
      [account.account_id],
    )
    return rows[0]?.number === '5'
  })
  const [, one] = market.receivers as [string, string]
  expect(await ids(`?receiver_address=${one}`)).toEqual({ total: 3, ids: newestFirst(one) })
  expect(await ids('?receiver_address=T')).toEqual({ total: 5, ids: newestFirst() })
})

test("nobody sees another account's orders, not even by their receiver", async () => {
  const other = await market.newAccount()
  const { body } = await list(`?receiver_address=${market.receivers[1]}`, other)
  expect(body).toMatchObject({ orders: [], total: 0 })
})

test('422 page below 1, page_size outside 1 to 100, or not integers; a filter with NUL', async () => {
  for (const [query, name, type] of [
    ['page=0', 'page', 'greater_than_equal'],
    ['page=-1', 'page', 'greater_than_equal'],
    ['page=two', 'page', 'int_type'],
    ['page=99999999999999999999', 'page', 'less_than_equal'],
    ['page_size=0', 'page_size', 'greater_than_equal'],
    ['page_size=101', 'page_size', 'less_than_equal'],
    ['page_size=1e2', 'page_size', 'int_type'],
    ['receiver_address=%00', 'receiver_address', 'value_error'],
    ['receiver_address=a&receiver_address=b', 'receiver_address', 'string_type'],
  ] as const) {
    const { status, body } = await list(`?${query}`)
    const fault = { loc: ['query', name], msg: expect.any(String), type }
    expect([query, status, body]).toEqual([query, 422, { detail: [fault] }])
  }
})

test('401 without a key', async () => {
  const { status, text } = await market.call('GET', '/v1/orders')
  expect([status, text]).toEqual([401, '{"detail":"API key required"}'])
})
