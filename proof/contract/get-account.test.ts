// Proves: account.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { linkWallet } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test('200 the Account object', async () => {
  const { api_key, deposit_address } = await app.newAccount()
  const { status, body } = await app.call('GET', '/v1/account', { key: api_key })
  expect(status).toBe(200)
  const nothing = { balance_trx: '0', reserved_trx: '0', withheld_trx: '0', spendable_trx: '0' }
  const limits = { requests_per_minute: null, unverified_credit_trx: null, max_amount: null }
  const ours = { deposit_address, wallet_address: '', limits, blocked: null }
  expect(body).toEqual({ ...nothing, ...ours })
  expect(deposit_address).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/)
})

test('balance_trx is a canonical decimal and follows a deposit', async () => {
  const { api_key } = await app.newAccount({ deposit_trx: '12.500001' })
  app.devnet.chain.mine()
  await until('the credit', async () => {
    const { body } = await app.call('GET', '/v1/account', { key: api_key })
    return body.balance_trx === '12.500001'
  })
})

test('each account has a deposit address of its own', async () => {
  const [mine, other] = [await app.newAccount(), await app.newAccount({ deposit_trx: '3' })]
  expect(other.deposit_address).not.toBe(mine.deposit_address)
  app.devnet.chain.mine()
  const balance = async ({ api_key: key }: typeof mine) =>
    (await app.call('GET', '/v1/account', { key })).body.balance_trx
  await until('the credit', async () => (await balance(other)) === '3')
  expect(await balance(mine)).toBe('0')
})

test('wallet_address is the linked wallet, and never where deposits go', async () => {
  const account = await app.newAccount()
  const wallet = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
  await linkWallet(app, account, wallet)
  const { body } = await app.call('GET', '/v1/account', { key: account.api_key })
  expect(body).toMatchObject({ wallet_address: wallet, deposit_address: account.deposit_address })
})

test('401 API key required, Invalid API key, User not found', async () => {
  const { account_id, api_key } = await app.newAccount()
  const missing = await app.call('GET', '/v1/account')
  expect([missing.status, missing.text]).toEqual([401, '{"detail":"API key required"}'])
  const wrong = await app.call('GET', '/v1/account', { key: `erg_${'A'.repeat(43)}` })
  expect([wrong.status, wrong.text]).toEqual([401, '{"detail":"Invalid API key"}'])
  await app.call('POST', `/sandbox/accounts/${account_id}/remove-user`)
  const orphaned = await app.call('GET', '/v1/account', { key: api_key })
  expect([orphaned.status, orphaned.text]).toEqual([401, '{"detail":"User not found"}'])
})
