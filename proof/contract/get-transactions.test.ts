// Proves: ledger, account.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let market: Market
let client: TestAccount
beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('100')
  await market.provider({ behaviour: 'fail' })
  const bought = await market.buy(client)
  await until('the refund', async () => {
    const { body } = await market.get(client, `/order/${bought.body.order_id}`)
    return body.status === 'FAILED'
  })
  await market.provider({ behaviour: 'ok' })
})
afterAll(() => market.close())

type Page = { transactions: { id: string }[]; has_more: boolean; next_cursor: string | null }

const list = (query = '', account = client) => market.get(account, `/transactions${query}`)

test('200 entries newest first: deposit, purchase, refund, with every field', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['transactions', 'has_more', 'next_cursor'])
  expect([body.has_more, body.next_cursor]).toEqual([false, null])
  const [refund, purchase, deposit] = body.transactions
  expect(body.transactions).toHaveLength(3)
  const { orders } = (await market.get(client, '/orders')).body
  const price = orders[0].total_price_sun
  expect(deposit).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    entry_type: 'deposit',
    amount_sun: 100_000_000,
    amount_trx: '100',
    balance_after_sun: 100_000_000,
    balance_after_trx: '100',
    reference_id: (await market.get(client, '/deposits')).body.deposits[0].tx_hash,
    description: 'TRX deposit',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(purchase).toMatchObject({
    entry_type: 'purchase',
    amount_sun: -price,
    amount_trx: `-${orders[0].total_price_trx}`,
    balance_after_sun: 100_000_000 - price,
    reference_id: orders[0].id,
    description: `65000 Energy for ${market.receivers[1]}`,
  })
  expect(refund).toMatchObject({
    entry_type: 'refund',
    amount_sun: price,
    amount_trx: orders[0].total_price_trx,
    balance_after_sun: 100_000_000,
    balance_after_trx: '100',
    reference_id: orders[0].id,
  })
})

test('200 a new account has no entries, no more, and a null cursor', async () => {
  const { body } = await list('', await market.newAccount())
  expect(body).toEqual({ transactions: [], has_more: false, next_cursor: null })
})

test('entries inserted while paging: none missed, none doubled', async () => {
  const expected = (await list('?limit=100')).body.transactions.map((e: { id: string }) => e.id)
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: Page = (await list(`?limit=1${cursor ? `&cursor=${cursor}` : ''}`)).body
    expect(page.transactions).toHaveLength(1)
    expect(page.has_more).toBe(page.next_cursor !== null)
    seen.push(...page.transactions.map((entry) => entry.id))
    cursor = page.next_cursor
    expect((await market.buy(client)).status).toBe(200)
  } while (cursor)
  expect(seen).toEqual(expected)
  expect((await list('?limit=100')).body.transactions.length).toBeGreaterThan(expected.length)
})

test('has_more is false when the page ends exactly at the oldest entry', async () => {
  const { length } = (await list('?limit=100')).body.transactions
  const whole = (await list(`?limit=${length}`)).body
  expect([whole.transactions.length, whole.has_more, whole.next_cursor]).toEqual([
    length,
    false,
    null,
  ])
  const short = (await list(`?limit=${length - 1}`)).body
  expect([short.has_more, typeof short.next_cursor]).toEqual([true, 'string'])
})

test('400 invalid_cursor carries message: truncated, edited, foreign, empty, not ours', async () => {
  const other = await market.fundedAccount('100')
  await market.buy(other)
  const own = (await list('?limit=1')).body.next_cursor as string
  const foreign = (await list('?limit=1', other)).body.next_cursor as string
  expect((await list(`?cursor=${own}`)).status).toBe(200)
  const edited = [...own].map((letter, at) => {
    const other = letter === 'A' ? 'B' : 'A'
    return own.slice(0, at) + other + own.slice(at + 1)
  })
  const wrong = ['', 'x', own.slice(1), own.slice(0, -1), `${own}A`, `${own}=`, foreign, ...edited]
  const strange = ['%00', '%F0%9F%92%B0', '..%2F..', '1', "'; drop table", 'A'.repeat(5_000)]
  for (const cursor of [...wrong, ...strange]) {
    const { status, body } = await list(`?cursor=${cursor}`)
    expect([cursor, status, body]).toEqual([
      cursor,
      400,
      { detail: { error: 'invalid_cursor', message: expect.stringMatching(/next_cursor/) } },
    ])
  }
})

test('a cursor outlives the node that wrote it', async () => {
  const { next_cursor } = (await list('?limit=1')).body
  const twin = await openMarket({ database: market.database, devnet: market.devnet, signer: false })
  const path = `/v1/transactions?cursor=${next_cursor}`
  const answer = await twin.call('GET', path, { key: client.api_key })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual((await list(`?cursor=${next_cursor}`)).body)
  await twin.close()
})

test('422 limit outside 1 to 100, or not an integer; a repeated cursor', async () => {
  for (const [query, type] of [
    ['limit=0', 'greater_than_equal'],
    ['limit=101', 'less_than_equal'],
    ['limit=-1', 'greater_than_equal'],
    ['limit=ten', 'int_type'],
    ['limit=1.5', 'int_type'],
    ['limit=', 'int_type'],
    ['limit=99999999999999999999', 'less_than_equal'],
    ['cursor=a&cursor=b', 'string_type'],
  ] as const) {
    const { status, body } = await list(`?${query}`)
    const loc = ['query', query.split('=')[0]]
    expect([query, status, body.detail]).toEqual([
      query,
      422,
      [{ loc, msg: expect.any(String), type }],
    ])
  }
})

test('401 without a key', async () => {
  const { status, text } = await market.call('GET', '/v1/transactions')
  expect([status, text]).toEqual([401, '{"detail":"API key required"}'])
})
