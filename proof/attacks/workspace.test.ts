// Proves: identity, account.
import { routes, workspaceRoutes } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'

// Requests from other sites' pages, planted cookies, and API keys where only sessions count.

let app: TestApp
let visitor: Visitor & { email: string }
let keyed: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  visitor = await signUp(app.url)
  keyed = await app.newAccount()
})
afterAll(() => app.close())

const mounted = [...routes.filter(({ auth }) => auth === 'both'), ...workspaceRoutes]
const changes = mounted.filter(({ method }) => method !== 'GET')
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, '01a1dd1e-0000-7000-8000-000000000000')
const cookieOf = ({ cookies }: Visitor) => [...cookies].map(([n, v]) => `${n}=${v}`).join('; ')

test.each(changes)('$method $path: a page of somebody else changes nothing', async (route) => {
  const before = await fingerprint()
  const origins = ['https://evil.example', 'null', `${app.url}.evil.example`, 'http://127.0.0.1:1']
  for (const origin of origins) {
    const answer = await visitor.call(route.method, pathOf(route.path), {}, { origin })
    expect([origin, answer.status]).toEqual([origin, 403])
    expect(answer.body).toEqual({ detail: 'Foreign origin' })
  }
  const headers = { cookie: cookieOf(visitor) }
  const silent = await app.call(route.method, `/app/v1${pathOf(route.path)}`, { headers })
  expect(silent.status).toBe(403)
  expect(await fingerprint()).toEqual(before)
})

test.each(mounted.filter(({ auth }) => auth !== 'public'))(
  '$method $path: without a session nobody is let in, with a key neither',
  async ({ method, path }) => {
    const headers = { origin: app.url }
    const nobody = await app.call(method, `/app/v1${pathOf(path)}`, { headers })
    const key = await app.call(method, `/app/v1${pathOf(path)}`, { headers, key: keyed.api_key })
    for (const answer of [nobody, key]) {
      expect([answer.status, answer.text]).toEqual([401, '{"detail":"Sign in required"}'])
    }
  },
)

test.each(routes.filter(({ auth }) => auth !== 'public'))(
  '$method /v1$path: the cookie opens nothing',
  async ({ method, path }) => {
    const headers = { cookie: cookieOf(visitor), origin: app.url }
    const answer = await app.call(method, `/v1${pathOf(path)}`, { headers })
    expect([answer.status, answer.text]).toEqual([401, '{"detail":"API key required"}'])
  },
)

test('the live stream opens for a session and for nothing else', async () => {
  for (const key of [undefined, keyed.api_key]) {
    const asked = key === undefined ? {} : { key }
    expect((await app.call('GET', '/app/v1/live', asked)).status).toBe(401)
  }
})

test('routes of the session alone are not under /v1 at all', async () => {
  for (const { method, path } of workspaceRoutes) {
    const answer = await app.call(method, `/v1${pathOf(path)}`, { key: keyed.api_key })
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test('a cookie that was planted before signing in is worth nothing afterwards', async () => {
  const planted = openVisitor(app.url)
  await planted.call('POST', '/session/sign-in', { email: visitor.email, password: PASSWORD })
  const mark = cookieOf(planted)
  await planted.call('POST', '/session/sign-out')
  const victim = openVisitor(app.url)
  const [name, value] = mark.split(/=(.*)/s)
  victim.cookies.set(name!, value!)
  await victim.call('POST', '/session/sign-in', { email: visitor.email, password: PASSWORD })
  expect(cookieOf(victim)).not.toBe(mark)
  expect((await victim.call('GET', '/account')).status).toBe(200)
  const attacker = await app.call('GET', '/app/v1/account', { headers: { cookie: mark } })
  expect(attacker.status).toBe(401)
})

test('a valid session that is planted is not the one that is signed in', async () => {
  const attacker = await signUp(app.url)
  const victim = openVisitor(app.url)
  for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
  await victim.call('POST', '/session/sign-in', { email: visitor.email, password: PASSWORD })
  const emailOf = async (one: Visitor) => (await one.call('GET', '/session')).body.email
  expect(await emailOf(victim)).toBe(visitor.email)
  expect(await emailOf(attacker)).toBe(attacker.email)
  for (const value of attacker.cookies.values()) {
    expect([...victim.cookies.values()]).not.toContain(value)
  }
})

test('a cookie that somebody wrote is not one of ours', async () => {
  const [name, value] = [...visitor.cookies].find(([cookie]) => cookie.includes('session_token'))!
  const [token] = decodeURIComponent(value).split('.')
  const forgeries = [
    token!,
    `${token}.AAAA`,
    `${token}x.${value.split('.')[1]}`,
    '',
    '%00',
    'x'.repeat(9_000),
  ]
  for (const forged of forgeries) {
    const headers = { cookie: `${name}=${encodeURIComponent(forged)}` }
    const answer = await app.call('GET', '/app/v1/account', { headers })
    expect([forged.slice(0, 20), answer.status]).toEqual([forged.slice(0, 20), 401])
  }
})

test('a session of a removed user is refused', async () => {
  const gone = await signUp(app.url)
  const { account_id } = (await gone.call('GET', '/session')).body
  await app.call('POST', `/sandbox/accounts/${account_id}/remove-user`)
  expect((await gone.call('GET', '/account')).text).toBe('{"detail":"User not found"}')
})

async function fingerprint() {
  return app.database.sql(`
    select (select count(*) from identity.account) as accounts, (select count(*) from identity.api_key) as keys,
           (select count(*) from better_auth."session") as sessions, (select count(*) from ledger.movement) as movements,
           (select count(*) from orders.purchase_order) as orders, (select count(*) from identity.wallet_challenge) as texts`)
}
