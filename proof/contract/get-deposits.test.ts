// Proves: deposits.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

let app: TestApp
let client: TestAccount
const sent: string[] = []
beforeAll(async () => {
  app = await openTestApp()
  client = await app.newAccount()
  for (let at = 1; at <= 5; at++) {
    sent.push(await transfer(client, at * 1_000_000))
    app.devnet.chain.mine()
    await until('the deposit', async () => (await list('?limit=100')).body.deposits.length === at)
  }
})
afterAll(() => app.close())

const list = (query = '', account = client) =>
  app.call('GET', `/v1/deposits${query}`, { key: account.api_key })

async function transfer(account: TestAccount, amount_sun: number): Promise<string> {
  const from = toBase58(app.devnet.chain.network.funded[2]!.address)
  const body = { from, to: account.deposit_address, amount_sun }
  return (await app.call('POST', '/sandbox/chain/transfer', { body })).body.txid
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('200 newest first, with every field', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['deposits', 'has_more'])
  expect(body.deposits.map((deposit: { tx_hash: string }) => deposit.tx_hash)).toEqual(
    sent.toReversed(),
  )
  expect(body.deposits[0]).toEqual({
    tx_hash: sent[4],
    amount_sun: 5_000_000,
    amount_trx: '5',
    status: 'confirmed',
    credited_at: expect.stringMatching(TIME),
    verified_at: null,
    created_at: expect.stringMatching(TIME),
  })
})

test('has_more is exact at the boundary; offset passes over deposits', async () => {
  const page = async (query: string) => {
    const { body } = await list(query)
    return [body.deposits.map((d: { tx_hash: string }) => sent.indexOf(d.tx_hash)), body.has_more]
  }
  expect(await page('?limit=2')).toEqual([[4, 3], true])
  expect(await page('?limit=2&offset=2')).toEqual([[2, 1], true])
  expect(await page('?limit=2&offset=4')).toEqual([[0], false])
  expect(await page('?limit=5')).toEqual([[4, 3, 2, 1, 0], false])
  expect(await page('?limit=4')).toEqual([[4, 3, 2, 1], true])
  expect(await page('?offset=5')).toEqual([[], false])
  expect(await page('?offset=999999999999999')).toEqual([[], false])
})

test('verified_at is set when the block is final, and credited_at stays', async () => {
  const before = (await list()).body.deposits[0]
  const after = await until('final', async () => {
    await app.mineWhenRead()
    const [deposit] = (await list()).body.deposits
    return deposit.verified_at !== null && deposit
  })
  expect(after).toEqual({ ...before, verified_at: expect.stringMatching(TIME) })
})

test('a deposit beyond the limit of unverified credit is pending and not spendable until final', async () => {
  const account = await app.newAccount()
  await transfer(account, 10_000_000_001)
  app.devnet.chain.mine()
  const pending = await until('seen', async () => (await list('', account)).body.deposits[0])
  expect(pending).toMatchObject({ status: 'pending', credited_at: null, verified_at: null })
  const balance = async () =>
    (await app.call('GET', '/v1/account', { key: account.api_key })).body.balance_trx
  expect(await balance()).toBe('0')
  await until('final', async () => {
    await app.mineWhenRead()
    return (await list('', account)).body.deposits[0].status === 'confirmed'
  })
  expect(await balance()).toBe('10000.000001')
})

test("nobody sees another account's deposits", async () => {
  expect((await list('', await app.newAccount())).body).toEqual({ deposits: [], has_more: false })
})

test('422 limit outside 1 to 100, offset below 0, or not integers', async () => {
  for (const [query, type] of [
    ['limit=0', 'greater_than_equal'],
    ['limit=101', 'less_than_equal'],
    ['limit=x', 'int_type'],
    ['offset=-1', 'greater_than_equal'],
    ['offset=1.5', 'int_type'],
    ['offset=99999999999999999999', 'less_than_equal'],
  ] as const) {
    const { status, body } = await list(`?${query}`)
    const fault = { loc: ['query', query.split('=')[0]], msg: expect.any(String), type }
    expect([query, status, body]).toEqual([query, 422, { detail: [fault] }])
  }
})

test('401 without a key', async () => {
  const { status, text } = await app.call('GET', '/v1/deposits')
  expect([status, text]).toEqual([401, '{"detail":"API key required"}'])
})
