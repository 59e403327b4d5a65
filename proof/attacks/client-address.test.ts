// Proves: http.
import { expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { testRuntime } from '../testing/runtime.ts'

const UNKNOWN = `erg_${'A'.repeat(43)}`

/** Statuses of `count` calls with an unknown key, one after the other. */
async function guess(app: TestApp, count: number, headers: Record<string, string> = {}) {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) {
    statuses.push((await app.call('GET', '/v1/account', { key: UNKNOWN, headers })).status)
  }
  return statuses
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status)
const from = (address: string) => ({ 'x-forwarded-for': address })

test('30 refused keys a minute per address, then 429; a good key passes from the same address', async () => {
  const runtime = testRuntime()
  const app = await openTestApp({ runtime, sandbox: false })
  const { apiKey } = await app.rooms.accounts.create('neighbour')
  expect(await guess(app, 33)).toEqual([...times(30, 401), ...times(3, 429)])
  expect((await app.call('GET', '/v1/account', { key: apiKey })).status).toBe(200)

  const refused = await app.call('GET', '/v1/account', { key: UNKNOWN })
  const seconds = Number(refused.headers.get('retry-after'))
  runtime.pass((seconds - 5) * 1_000)
  expect(await guess(app, 1)).toEqual([429])
  runtime.pass(5_000)
  expect(await guess(app, 1)).toEqual([401])
  await app.close()
})

test('callers on this machine are exempt in the sandbox only', async () => {
  const app = await openTestApp({ sandbox: true })
  expect(await guess(app, 40)).toEqual(times(40, 401))
  await app.close()
})

test('X-Forwarded-For of a stranger counts for nothing', async () => {
  const app = await openTestApp({ sandbox: false })
  const statuses: number[] = []
  for (let i = 0; i < 31; i += 1) {
    statuses.push(...(await guess(app, 1, from(`203.0.113.${i}`))))
  }
  expect(statuses).toEqual([...times(30, 401), 429])
  await app.close()
})

test('behind a trusted proxy each client is counted, by the address the proxy saw', async () => {
  const app = await openTestApp({ sandbox: false, trustedProxies: ['127.0.0.1'] })
  expect(await guess(app, 31, from('203.0.113.1'))).toEqual([...times(30, 401), 429])
  expect(await guess(app, 1, from('203.0.113.2'))).toEqual([401])
  // Entries left of the proxy's own come from the client, and are ignored.
  expect(await guess(app, 1, from('198.51.100.7, 203.0.113.1'))).toEqual([429])
  await app.close()
})

test('an IPv6 client is its /64', async () => {
  const app = await openTestApp({ sandbox: false, trustedProxies: ['127.0.0.1'] })
  const statuses: number[] = []
  for (let i = 0; i < 31; i += 1) {
    statuses.push(...(await guess(app, 1, from(`2001:db8:0:1::${i.toString(16)}`))))
  }
  expect(statuses).toEqual([...times(30, 401), 429])
  expect(await guess(app, 1, from('2001:db8::1:ffff:ffff:ffff:ffff'))).toEqual([429])
  expect(await guess(app, 1, from('2001:db8:0:2::1'))).toEqual([401])
  await app.close()
})

test('120 public calls a minute per address, then 429; a key has its own limit', async () => {
  const runtime = testRuntime()
  const app = await openTestApp({ runtime, sandbox: false })
  const { apiKey } = await app.rooms.accounts.create('neighbour')
  const ask = () => app.call('GET', '/v1/public/pricing')
  const statuses: number[] = []
  for (let i = 0; i < 122; i += 1) statuses.push((await ask()).status)
  expect(statuses).toEqual([...times(120, 200), ...times(2, 429)])
  const refused = await ask()
  expect(refused.text).toBe('{"detail":"Rate limit exceeded"}')
  expect((await app.call('GET', '/v1/account', { key: apiKey })).status).toBe(200)
  runtime.pass(Number(refused.headers.get('retry-after')) * 1_000)
  expect((await ask()).status).toBe(200)
  await app.close()
})
