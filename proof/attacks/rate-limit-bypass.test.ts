// Proves: http.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { type TestRuntime, testRuntime } from '../testing/runtime.ts'
import { until } from '../testing/until.ts'

// Ways around an account's rate limit, which is small here to be reached soon.

const LIMIT = 20
const WINDOW_MS = 60_000

let app: TestApp
let runtime: TestRuntime
beforeAll(async () => {
  runtime = testRuntime()
  app = await openTestApp({ runtime, requestsPerMinute: LIMIT })
})
afterAll(() => app.close())

async function exhausted() {
  const { account, apiKey } = await app.rooms.accounts.create('greedy')
  for (let call = 0; call < LIMIT; call++) {
    expect((await app.call('GET', '/v1/account', { key: apiKey })).status).toBe(200)
  }
  expect((await app.call('GET', '/v1/account', { key: apiKey })).status).toBe(429)
  return { account, key: apiKey }
}

test('no other spelling of a request, key or address has a budget of its own', async () => {
  const { account, key } = await exhausted()
  const other = (await app.rooms.accounts.createKey(account)).apiKey
  const tries: [string, string, Record<string, string>][] = [
    ['GET', '/v1/account', { 'x-api-key': other }],
    ['GET', '/v1/account', { 'X-API-KEY': key }],
    ['GET', '/v1/account?again=1', { 'x-api-key': key }],
    ['GET', '/v1/account', { 'x-api-key': key, 'x-forwarded-for': '203.0.113.9' }],
    [
      'GET',
      '/v1/account',
      { 'x-api-key': key, 'x-real-ip': '203.0.113.9', forwarded: 'for=1.2.3.4' },
    ],
    ['GET', '/v1/account', { 'x-api-key': key, 'x-http-method-override': 'DELETE' }],
    ['GET', '/v1/account', { 'x-api-key': ` ${key} ` }],
    ['HEAD', '/v1/account', { 'x-api-key': key }],
    ['GET', '/v1/account/', { 'x-api-key': key }],
    ['GET', '/v1//account', { 'x-api-key': key }],
    ['GET', '/V1/account', { 'x-api-key': key }],
    ['GET', '/v1/%61ccount', { 'x-api-key': key }],
    ['GET', '/v1/orders', { 'x-api-key': key }],
    ['GET', '/app/v1/account', { 'x-api-key': key }],
    ['POST', '/v1/buy', { 'x-api-key': key }],
    ['POST', '/v1/webhooks', { 'x-api-key': key }],
  ]
  for (const [method, path, headers] of tries) {
    const { status } = await app.call(method, path, { headers })
    expect([method, path, status]).toEqual([method, path, expect.toSatisfy(isRefused)])
  }
})

const isRefused = (status: number) => [401, 404, 405, 429].includes(status)

test('a purchase that was refused for the limit leaves no key behind and charges nothing', async () => {
  const account = await app.newAccount({ deposit_trx: '50' })
  const key = account.api_key
  // Read from the database, because API calls count towards the limit.
  await until('the credit', async () => {
    await app.mineWhenRead()
    const rows = await app.database.sql(
      `select from ledger.account where id = $1 and balance_sun > 0`,
      [account.account_id],
    )
    return rows.length === 1
  })
  for (let call = 0; call <= LIMIT; call++) await app.call('GET', '/v1/account', { key })
  const [, receiver] = app.devnet.chain.network.funded
  const body = { receiver_address: toBase58(receiver!.address), resource_amount: 65_000 }
  const headers = { 'idempotency-key': 'refused-before' }
  expect((await app.call('POST', '/v1/buy', { key, headers, body })).status).toBe(429)
  const kept = await app.database.sql(`select from orders.idempotency_key`)
  const orders = await app.database.sql(`select from orders.purchase_order`)
  expect([kept, orders]).toEqual([[], []])
})

test('around the edge of a window there are two budgets and not one call more', async () => {
  const { apiKey: key } = await app.rooms.accounts.create('edge')
  const passed = async (calls: number) => {
    let count = 0
    for (let call = 0; call < calls; call++) {
      if ((await app.call('GET', '/v1/account', { key })).status === 200) count += 1
    }
    return count
  }
  expect(await passed(1)).toBe(1)
  runtime.pass(WINDOW_MS - 5_000)
  expect(await passed(2 * LIMIT)).toBe(LIMIT - 1)
  runtime.pass(5_000)
  expect(await passed(2 * LIMIT)).toBe(LIMIT)
})

test('strangers who guess at keys use up nothing of an account', async () => {
  const { apiKey: key } = await app.rooms.accounts.create('quiet')
  for (let call = 0; call < 2 * LIMIT; call++) {
    const guess = `${key.slice(0, -4)}${String(call).padStart(4, 'x')}`
    expect((await app.call('GET', '/v1/account', { key: guess })).status).toBe(401)
  }
  expect((await app.call('GET', '/v1/account', { key })).status).toBe(200)
})
