// Proves: orders, http.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Answer, TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'

const PRICE = 1_950_000n

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})
beforeEach(() => market.settings({ schedule: flatSchedule(30), purchases_enabled: true }))

type Item = Record<string, unknown>
const item = (idempotency_key: string, more: Item = {}): Item => ({
  idempotency_key,
  receiver_address: market.receivers[1],
  resource_amount: 65_000,
  ...more,
})
const batch = (account: TestAccount, mode: unknown, purchases: unknown): Promise<Answer> =>
  market.call('POST', '/v1/buy/batch', { key: account.api_key, body: { purchases, mode } })
const keys = (...names: string[]) => names.map((name) => item(name))

/** Status and code of each result. */
function outcomes({ status, body }: Answer) {
  if (status !== 200) return status
  return body.results.map((one: { status: number; body: { detail?: Item } }) =>
    one.status === 200 ? 200 : `${one.status} ${one.body.detail?.error ?? one.body.detail?.code}`,
  )
}
const orders = async (account: TestAccount) => (await market.get(account, '/orders')).body.total

test.each(['each', 'all'])(
  '200 %s: the results are in order, as POST /buy answers them',
  async (mode) => {
    const account = await market.fundedAccount('10')
    const answer = await batch(account, mode, keys('a', 'b', 'c'))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      results: [8_050_000, 6_100_000, 4_150_000].map((balance_after_sun) => ({
        status: 200,
        body: {
          order_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          status: 'PENDING',
          total_price_sun: 1_950_000,
          total_price_trx: '1.95',
          balance_after_sun,
        },
      })),
    })
    // The key of each purchase replays it, byte for byte.
    const replay = await market.buy(account, { key: 'b' })
    expect(answer.whole).toContain(`{"status":200,"body":${replay.text}}`)
    expect([await orders(account), await market.balanceSun(account)]).toEqual([3, 4_150_000n])
  },
)

test('each: a refused purchase stops no other, and the first that fit the balance are bought', async () => {
  const account = await market.fundedAccount('4')
  const answer = await batch(account, 'each', [
    item('a'),
    item('b', { receiver_address: 'nobody' }),
    item('c', { resource_amount: 1 }),
    item(''),
    item('d', { max_price_sun: 1 }),
    item('e'),
    item('f'),
  ])
  expect(outcomes(answer)).toEqual([
    200,
    '400 validation_error',
    '400 order_amount_below_minimum',
    '400 invalid_idempotency_key',
    '400 price_above_limit',
    200,
    '400 insufficient_balance',
  ])
  expect(answer.body.results[6].body).toMatchObject({
    detail: { error: 'insufficient_balance', current_balance: 100_000, required_amount: 1_950_000 },
    message: expect.stringContaining('1.95 TRX'),
    doc_url: expect.stringContaining('/docs/errors/insufficient_balance'),
  })
  expect(await orders(account)).toBe(2)
})

test('each: a key that was used replays, also within the batch', async () => {
  const account = await market.fundedAccount('100')
  const first = await market.buy(account, { key: 'a' })
  const answer = await batch(account, 'each', keys('a', 'b', 'b', 'b'))
  expect(answer.body.results[0]).toEqual({ status: 200, body: first.body })
  expect(
    new Set(answer.body.results.slice(1).map(({ body }: Item) => JSON.stringify(body))).size,
  ).toBe(1)
  expect(await orders(account)).toBe(2)
})

test('all: one is refused, none is made; the others are 409 batch_refused and their keys stay free', async () => {
  const account = await market.fundedAccount('10')
  const wrong = [item('a'), item('b', { receiver_address: 'nobody' }), item('c')]
  const answer = await batch(account, 'all', wrong)
  expect(outcomes(answer)).toEqual([
    '409 batch_refused',
    '400 validation_error',
    '409 batch_refused',
  ])
  expect(answer.body.results[0].body).toEqual({
    detail: { error: 'batch_refused' },
    message: expect.any(String),
    doc_url: expect.stringContaining('/docs/errors/batch_refused'),
  })
  expect([await orders(account), await market.balanceSun(account)]).toEqual([0, 10_000_000n])
  expect(outcomes(await batch(account, 'all', keys('a', 'b', 'c')))).toEqual([200, 200, 200])
})

test('all: the balance must cover all; the first that does not fit says so', async () => {
  const account = await market.fundedAccount('5')
  const answer = await batch(account, 'all', keys('a', 'b', 'c'))
  expect(outcomes(answer)).toEqual([
    '409 batch_refused',
    '409 batch_refused',
    '400 insufficient_balance',
  ])
  expect(answer.body.results[2].body.detail).toEqual({
    error: 'insufficient_balance',
    current_balance: 1_100_000,
    required_amount: 1_950_000,
  })
  expect(await orders(account)).toBe(0)
})

test('all: a key already used is 409 duplicate_request, before and within the batch', async () => {
  const account = await market.fundedAccount('100')
  await market.buy(account, { key: 'a' })
  const used = await batch(account, 'all', keys('x', 'a'))
  expect(outcomes(used)).toEqual(['409 batch_refused', '409 duplicate_request'])
  const twice = await batch(account, 'all', keys('y', 'y'))
  expect(outcomes(twice)).toEqual(['409 batch_refused', '409 duplicate_request'])
  expect(await orders(account)).toBe(1)
  const made = await batch(account, 'all', keys('x', 'y'))
  const again = await batch(account, 'all', keys('x', 'y'))
  expect(outcomes(again)).toEqual(['409 duplicate_request', '409 duplicate_request'])
  // Mode each gives the answers that were lost.
  expect((await batch(account, 'each', keys('x', 'y'))).body).toEqual(made.body)
  expect(await orders(account)).toBe(3)
})

test('all: quotes are redeemed with the batch, or stay open with it', async () => {
  const account = await market.fundedAccount('100')
  const quote = async () => {
    const body = { resource_amount: 65_000 }
    return (await market.call('POST', '/v1/quotes', { key: account.api_key, body })).body.id
  }
  const [one, other] = [await quote(), await quote()]
  await market.settings({ schedule: flatSchedule(60) })
  const twice = [item('a', { quote_id: one }), item('b', { quote_id: one })]
  expect(outcomes(await batch(account, 'all', twice))).toEqual([
    '409 batch_refused',
    '400 quote_invalid',
  ])
  const both = [item('a', { quote_id: one }), item('b', { quote_id: other }), item('c')]
  expect(outcomes(await batch(account, 'all', both))).toEqual([200, 200, 200])
  expect(await market.balanceSun(account)).toBe(100_000_000n - 4n * PRICE)
  expect((await market.buy(account, { body: { quote_id: other } })).status).toBe(400)
})

test('the same batch many times at once buys once', async () => {
  for (const mode of ['each', 'all']) {
    const account = await market.fundedAccount('100')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => batch(account, mode, keys('a', 'b', 'c', 'd', 'e'))),
    )
    expect(answers.flatMap(outcomes).every((one) => one === 200 || /^409/.test(one))).toBe(true)
    expect([mode, await orders(account)]).toEqual([mode, 5])
    expect(await market.balanceSun(account)).toBe(100_000_000n - 5n * PRICE)
  }
})

test('503 of each purchase while nothing is sold', async () => {
  const account = await market.fundedAccount('10')
  await market.settings({ purchases_enabled: false })
  for (const mode of ['each', 'all']) {
    const answer = await batch(account, mode, keys('a', 'b'))
    expect(outcomes(answer)).toEqual(Array(2).fill('503 service_unavailable'))
  }
})

test('422: no purchases, 101 of them, another mode, a purchase of the wrong shape', async () => {
  const account = await market.newAccount()
  const faults = async (mode: unknown, purchases: unknown) => {
    const { status, body } = await batch(account, mode, purchases)
    expect(status).toBe(422)
    return body.detail.map(({ loc, type }: Item) => `${(loc as string[]).join('.')} ${type}`)
  }
  const many = Array.from({ length: 101 }, (_, nth) => item(`k${nth}`))
  expect(await faults('each', [])).toEqual(['body.purchases value_error'])
  expect(await faults('each', many)).toEqual(['body.purchases value_error'])
  expect(await faults('some', keys('a'))).toEqual(['body.mode enum'])
  expect(await faults(undefined, undefined)).toEqual([
    'body.purchases missing',
    'body.mode missing',
  ])
  expect(await faults('all', [item('a'), { receiver_address: 1, resource_amount: 0 }])).toEqual([
    'body.purchases.1.idempotency_key missing',
    'body.purchases.1.receiver_address string_type',
    'body.purchases.1.resource_amount greater_than',
  ])
})

test('counts as that many requests; over the limit it is 429 and nothing is counted or made', async () => {
  const account = await market.fundedAccount('500')
  const hundred = (name: string) =>
    keys(...Array.from({ length: 100 }, (_, nth) => `${name}${nth}`))
  const refusedShape = Array.from({ length: 100 }, () => ({}))
  for (let nth = 0; nth < 9; nth++) {
    expect((await batch(account, 'all', refusedShape)).status).toBe(422)
  }
  // 900 of 1,000 are used, and this one, which is too long to be counted as a batch.
  expect((await batch(account, 'all', [...hundred('a'), item('b')])).status).toBe(422)
  const over = await batch(account, 'all', hundred('a'))
  expect([over.status, over.text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
  const left = await batch(account, 'all', hundred('a').slice(1))
  expect(outcomes(left)).toEqual(Array(99).fill(200))
  expect((await market.get(account, '/account')).status).toBe(429)
  expect(await market.balanceSun(account)).toBe(500_000_000n - 99n * PRICE)
})
