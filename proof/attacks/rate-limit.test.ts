// Proves: http.
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { testDoors } from '../testing/doors.ts'
import { type Answer, openTestHouse, type TestHouse } from '../testing/house.ts'
import { untilNodesKnowEachOther } from '../testing/nodes.ts'

const CALLS = 2_000

/** Calls at once, spread over nodes and keys. */
function rush(houses: TestHouse[], keys: string[], calls = CALLS): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: calls }, (_, i) => {
      const house = houses[i % houses.length]!
      const key = keys[Math.floor(i / houses.length) % keys.length]!
      return house.call('GET', '/v1/account', { key })
    }),
  )
}

const passedOf = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length

async function twoKeys(house: TestHouse): Promise<string[]> {
  const { account, apiKey } = await house.rooms.accounts.create('rush')
  return [apiKey, (await house.rooms.accounts.createKey(account)).apiKey]
}

test('2,000 calls at once over two keys of one account: exactly 1,000 pass', async () => {
  const doors = testDoors()
  const house = await openTestHouse({ doors })
  const keys = await twoKeys(house)
  const answers = await rush([house], keys)
  expect(passedOf(answers)).toBe(1_000)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { status, text, headers } of refused) {
    expect([status, text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }

  // Retry-After is true: five seconds earlier is too early, after it the window is new and whole.
  const last = await house.call('GET', '/v1/account', { key: keys[0]! })
  const seconds = Number(last.headers.get('retry-after'))
  doors.pass((seconds - 5) * 1_000)
  expect((await house.call('GET', '/v1/account', { key: keys[1]! })).status).toBe(429)
  doors.pass(5_000)
  expect(passedOf(await rush([house], keys, 1_100))).toBe(1_000)
  await house.close()
})

test('a refused call is counted for nobody else', async () => {
  const house = await openTestHouse()
  const [greedy, modest] = [await house.newAccount(), await house.newAccount()]
  await rush([house], [greedy.api_key], 1_050)
  expect((await house.call('GET', '/v1/account', { key: modest.api_key })).status).toBe(200)
  await house.close()
})

test('two nodes share the budget: 900 to 1,000 of 2,000 calls pass', async () => {
  const database = await createTestDatabase()
  const first = await openTestHouse({ database })
  const houses = [first, await openTestHouse({ database, devnet: first.devnet })]
  await untilNodesKnowEachOther(database, 2)
  const answers = await rush(houses, await twoKeys(first))
  expect(passedOf(answers)).toBeGreaterThanOrEqual(900)
  expect(passedOf(answers)).toBeLessThanOrEqual(1_000)
  for (const { status, headers } of answers) {
    if (status === 200) continue
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const house of houses.reverse()) await house.close()
  await database.drop()
})
