// Proves: http, pricing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '../testing/house.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openTestHouse()
})
afterAll(() => house.close())

test.each([
  ['9007199254740993', '9007199254.740993'],
  ['9223372036854775807', '9223372036854.775807'],
  ['1', '0.000001'],
])('a balance of %s SUN reaches the client exactly', async (balance, trx) => {
  const { account_id, api_key } = await house.newAccount()
  await house.database.sql('update ledger.account set balance_sun = $2 where id = $1', [
    account_id,
    balance,
  ])
  const { body } = await house.call('GET', '/v1/account', { key: api_key })
  expect(body.balance_trx).toBe(trx)
})
