// Proves: http, identity.
import { routes } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { testRuntime } from '../testing/runtime.ts'

// Each endpoint of the API either needs a key and counts towards the limit, or is public.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ runtime: testRuntime(), requestsPerMinute: 3 })
})
afterAll(() => app.close())

const PUBLIC = [
  'GET /pay/{public_id}',
  'GET /pay/{public_id}/check',
  'GET /pay/{public_id}/live',
  'GET /public/energy',
  'GET /public/pricing',
  'GET /public/proof/{order_id}',
  'GET /public/scorecard',
  'GET /public/status',
  'GET /public/transfers/{txid}',
]
const every = routes.map(({ method, path }) => [method, path] as const)
const isPublic = ([method, path]: readonly [string, string]) => PUBLIC.includes(`${method} ${path}`)
const call = (method: string, path: string, key?: string) =>
  app.call(method, `/v1${path.replaceAll(/\{\w+\}/g, 'x')}`, key === undefined ? {} : { key })

test.each(every.filter((one) => !isPublic(one)))(
  '%s %s needs a key, and a key within its limit',
  async (method, path) => {
    const missing = await call(method, path)
    expect([missing.status, missing.text]).toEqual([401, '{"detail":"API key required"}'])
    const wrong = await call(method, path, `erg_${'A'.repeat(43)}`)
    expect([wrong.status, wrong.text]).toEqual([401, '{"detail":"Invalid API key"}'])
    const { api_key } = await app.newAccount()
    for (let count = 0; count < 3; count++) {
      expect((await call('GET', '/account', api_key)).status).toBe(200)
    }
    const limited = await call(method, path, api_key)
    expect([limited.status, limited.text]).toEqual([429, '{"detail":"Rate limit exceeded"}'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  },
)

test.each(every.filter(isPublic))('%s %s is public', async (method, path) => {
  expect([200, 404, 422]).toContain((await call(method, path)).status)
})

test('there is no public endpoint but these', () => {
  const found = routes.filter(({ auth }) => auth === 'public')
  expect(found.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(PUBLIC)
})

test('one key serves the purchase API, AutoEnergy and the agent API', async () => {
  const { api_key } = await app.newAccount()
  for (const path of ['/account', '/autoenergy/subscriptions', '/agent/summary']) {
    expect([path, (await call('GET', path, api_key)).status]).toEqual([path, 200])
  }
})
