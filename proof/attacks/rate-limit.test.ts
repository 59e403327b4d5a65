// Proves: http.
import { expect, test } from 'vitest'
import { type Answer, openTestApp, type TestApp } from '../testing/app.ts'
import { createTestDatabase } from '../testing/database.ts'
import { untilNodesKnowEachOther } from '../testing/nodes.ts'
import { testRuntime } from '../testing/runtime.ts'

const CALLS = 2_000

/** Calls at once, spread over nodes and keys. */
function rush(apps: TestApp[], keys: string[], calls = CALLS): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: calls }, (_, i) => {
      const app = apps[i % apps.length]!
      const key = keys[Math.floor(i / apps.length) % keys.length]!
      return app.call('GET', '/v1/account', { key })
    }),
  )
}

const passedOf = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length

async function twoKeys(app: TestApp): Promise<string[]> {
  const { account, apiKey } = await app.rooms.accounts.create('rush')
  return [apiKey, (await app.rooms.accounts.createKey(account)).apiKey]
}

test('2,000 calls at once over two keys of one account: exactly 1,000 pass', async () => {
  const runtime = testRuntime()
  const app = await openTestApp({ runtime })
  const keys = await twoKeys(app)
  const answers = await rush([app], keys)
  expect(passedOf(answers)).toBe(1_000)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { status, text, headers } of refused) {
    expect([status, text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }

  // Retry-After is exact: five seconds earlier is too early, and after it the window is new.
  const last = await app.call('GET', '/v1/account', { key: keys[0]! })
  const seconds = Number(last.headers.get('retry-after'))
  runtime.pass((seconds - 5) * 1_000)
  expect((await app.call('GET', '/v1/account', { key: keys[1]! })).status).toBe(429)
  runtime.pass(5_000)
  expect(passedOf(await rush([app], keys, 1_100))).toBe(1_000)
  await app.close()
})

test('a refused call is counted for nobody else', async () => {
  const app = await openTestApp()
  const [greedy, modest] = [await app.newAccount(), await app.newAccount()]
  await rush([app], [greedy.api_key], 1_050)
  expect((await app.call('GET', '/v1/account', { key: modest.api_key })).status).toBe(200)
  await app.close()
})

test('two nodes share the budget: 900 to 1,000 of 2,000 calls pass', async () => {
  const database = await createTestDatabase()
  const first = await openTestApp({ database })
  const apps = [first, await openTestApp({ database, devnet: first.devnet })]
  await untilNodesKnowEachOther(database, 2)
  const answers = await rush(apps, await twoKeys(first))
  expect(passedOf(answers)).toBeGreaterThanOrEqual(900)
  expect(passedOf(answers)).toBeLessThanOrEqual(1_000)
  for (const { status, headers } of answers) {
    if (status === 200) continue
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  for (const app of apps.reverse()) await app.close()
  await database.drop()
})
