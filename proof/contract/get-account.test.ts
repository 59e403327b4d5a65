import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '../testing/house.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.close())

test('200 the Account object', async () => {
  const { api_key, deposit_address } = await house.newAccount()
  const { status, body } = await house.call('GET', '/v1/account', { key: api_key })
  expect(status).toBe(200)
  expect(body).toEqual({ balance_trx: '0', reserved_trx: '0', deposit_address, wallet_address: '' })
})

test('401 API key required, Invalid API key, User not found', async () => {
  const { account_id, api_key } = await house.newAccount()
  const missing = await house.call('GET', '/v1/account')
  expect([missing.status, missing.text]).toEqual([401, '{"detail":"API key required"}'])
  const wrong = await house.call('GET', '/v1/account', { key: `erg_${'A'.repeat(43)}` })
  expect([wrong.status, wrong.text]).toEqual([401, '{"detail":"Invalid API key"}'])
  await house.call('POST', `/sandbox/accounts/${account_id}/remove-user`)
  const orphaned = await house.call('GET', '/v1/account', { key: api_key })
  expect([orphaned.status, orphaned.text]).toEqual([401, '{"detail":"User not found"}'])
})
