// Proves: http, pricing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test.each([
  ['9007199254740993', '9007199254.740993'],
  ['9223372036854775807', '9223372036854.775807'],
  ['1', '0.000001'],
])('a balance of %s SUN reaches the client exactly', async (balance, trx) => {
  const { account_id, api_key } = await app.newAccount()
  await app.database.sql('update ledger.account set balance_sun = $2 where id = $1', [
    account_id,
    balance,
  ])
  const { body } = await app.call('GET', '/v1/account', { key: api_key })
  expect(body.balance_trx).toBe(trx)
})
