// Proves: identity, http.
import { sandboxRoutes } from '@ergon/contract'
import { expect, test } from 'vitest'
import { openTestApp } from '../testing/app.ts'
import { createTestDatabase } from '../testing/database.ts'
import { sendRaw } from '../testing/raw.ts'
import { fixedPart } from '../testing/refused.ts'
import { type TestRuntime, testRuntime } from '../testing/runtime.ts'
import { until } from '../testing/until.ts'

const WITHIN_MS = 1_000

// Retried: a machine that is busy with other tests may lose half a second.
test('a revoked key is refused by every node within a second', { retry: 2 }, async () => {
  const database = await createTestDatabase()
  const first = await openTestApp({ database })
  const apps = [first, await openTestApp({ database, devnet: first.devnet })]
  const { account } = await first.rooms.accounts.create('two nodes')
  const { keyId, apiKey } = await first.rooms.accounts.createKey(account)
  for (const app of apps) {
    // Twice: the second answer uses the cached key.
    for (const _ of [1, 2]) {
      expect((await app.call('GET', '/v1/account', { key: apiKey })).status).toBe(200)
    }
  }
  await first.rooms.accounts.revokeKey(account, keyId)
  await Promise.all(
    apps.map((app) =>
      until(
        'the node to refuse the key',
        async () => (await app.call('GET', '/v1/account', { key: apiKey })).status === 401,
        WITHIN_MS,
      ),
    ),
  )
  for (const app of apps.reverse()) await app.close()
  await database.drop()
})

const lookUpsOf = ({ statements }: TestRuntime) =>
  statements.filter((name) => name === 'identity.findKey').length

test('a key seen before costs no look-up', async () => {
  const runtime = testRuntime()
  const app = await openTestApp({ runtime })
  const { api_key } = await app.newAccount()
  await app.call('GET', '/v1/account', { key: api_key })
  expect(lookUpsOf(runtime)).toBeGreaterThan(0)
  await until('the key to be remembered', async () => {
    const before = lookUpsOf(runtime)
    await app.call('GET', '/v1/account', { key: api_key })
    return lookUpsOf(runtime) === before
  })
  await app.close()
})

test('while revocations cannot be followed, no key is taken from memory', async () => {
  const runtime = testRuntime()
  const app = await openTestApp({ runtime })
  const { api_key } = await app.newAccount()
  await app.call('GET', '/v1/account', { key: api_key })
  await app.database.sql('alter table identity.revision rename to revision_away')
  await until('the node to notice', async () => {
    const before = lookUpsOf(runtime)
    expect((await app.call('GET', '/v1/account', { key: api_key })).status).toBe(200)
    return lookUpsOf(runtime) > before
  })
  await app.close()
})

test('the key header twice is one invalid key, not a choice of two', async () => {
  const app = await openTestApp()
  const { api_key } = await app.newAccount()
  const header = `X-API-Key: ${api_key}\r\n`
  const once = `GET /v1/account HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}`
  expect((await sendRaw(app.url, `${once}\r\n`)).status).toBe(200)
  const twice = await sendRaw(app.url, `${once}${header}\r\n`)
  expect([twice.status, fixedPart(twice.body)]).toEqual([401, '{"detail":"Invalid API key"}'])
  await app.close()
})

test('a key is taken from its header alone', async () => {
  const app = await openTestApp()
  const { api_key } = await app.newAccount()
  const elsewhere = await app.call('GET', `/v1/account?x-api-key=${api_key}`, {
    headers: { authorization: `Bearer ${api_key}`, cookie: `x-api-key=${api_key}` },
  })
  expect([elsewhere.status, elsewhere.text]).toEqual([401, '{"detail":"API key required"}'])
  expect(JSON.parse(elsewhere.whole).message).toContain('in the header X-API-Key')
  expect(elsewhere.headers.get('www-authenticate')).toContain('header="X-API-Key"')
  await app.close()
})

test('in production no path of the sandbox exists', async () => {
  const app = await openTestApp({ sandbox: false })
  for (const { method, path } of sandboxRoutes) {
    const url = `/sandbox${path.replaceAll(/\{\w+\}/g, 'x')}`
    for (const tried of [method, 'OPTIONS']) {
      const answer = await app.call(tried, url)
      expect([url, answer.status, answer.text]).toEqual([url, 404, '{"detail":"Not Found"}'])
    }
  }
  const { text } = await app.call('GET', '/openapi.json')
  expect(text).not.toContain('andbox')
  await app.close()
})
