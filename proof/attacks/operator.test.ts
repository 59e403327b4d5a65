// Proves: operator, identity.
import { operatorRoutes, routes, workspaceRoutes } from '@ergon/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { atConsole, openOperator, signInAsOperator } from '../testing/operator.ts'
import { openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'

// No credential of a client opens the operators' mount, and no credential of an operator a
// client's.

let app: TestApp
let client: Visitor & { email: string }
let operator: Visitor & { email: string }
let keyed: TestAccount
beforeAll(async () => {
  app = await openTestApp()
  client = await signUp(app.url)
  operator = await openOperator(app)
  keyed = await app.newAccount()
})
afterAll(() => app.close())

const guarded = operatorRoutes.filter(({ auth }) => auth !== 'public')
const ID = '01a1dd1e-0000-7000-8000-000000000000'
const pathOf = (path: string) => path.replace('{name}', 'selling').replaceAll(/\{\w+\}/g, ID)
const cookieOf = ({ cookies }: Visitor) => [...cookies].map(([n, v]) => `${n}=${v}`).join('; ')
/** The cookie of one mount under the name of the other. */
const renamed = (visitor: Visitor, from: string, to: string) =>
  cookieOf(visitor).replaceAll(`${from}.`, `${to}.`)

test('every route but the entrance is for operators alone', () => {
  expect(guarded.length).toBeGreaterThan(29)
  expect(new Set(guarded.map(({ auth }) => auth))).toEqual(new Set(['operator']))
  const open = operatorRoutes.filter(({ auth }) => auth === 'public')
  expect(open.map(({ path }) => path).sort()).toEqual([
    '/session/code',
    '/session/invitation',
    '/session/passkey',
    '/session/passkey/challenge',
    '/session/sign-in',
    '/session/sign-out',
  ])
})

test.each(guarded)("$method $path: a client's key and cookie open nothing", async (route) => {
  const before = await fingerprint()
  const path = `/operator/v1${pathOf(route.path)}`
  const origin = app.url
  const body =
    route.method === 'GET' ? {} : { body: { enabled: false, why: 'because', schedule: [] } }
  const tries = [
    { headers: { origin } },
    { headers: { origin }, key: keyed.api_key },
    { headers: { origin, cookie: cookieOf(client) } },
    { headers: { origin, cookie: renamed(client, 'ergon', 'ergon-operator') } },
    { headers: { origin, cookie: renamed(client, 'ergon', 'ergon-operator') }, key: keyed.api_key },
  ]
  for (const tried of tries) {
    const answer = await app.call(route.method, path, { ...body, ...tried })
    expect([answer.status, answer.text]).toEqual([401, '{"detail":"Sign in required"}'])
  }
  expect(await fingerprint()).toEqual(before)
})

test.each(operatorRoutes.filter(({ method }) => method !== 'GET'))(
  '$method $path: a page of somebody else changes nothing, whoever is signed in',
  async ({ method, path }) => {
    const before = await fingerprint()
    const headers = { origin: 'https://evil.example' }
    const foreign = await operator.call(
      method,
      pathOf(path),
      { enabled: false, why: 'no' },
      headers,
    )
    expect([foreign.status, foreign.text]).toEqual([403, '{"detail":"Foreign origin"}'])
    const silent = await app.call(method, `/operator/v1${pathOf(path)}`, {
      headers: { cookie: cookieOf(operator) },
    })
    expect(silent.status).toBe(403)
    expect(await fingerprint()).toEqual(before)
  },
)

const clients = [...routes.filter(({ auth }) => auth === 'both'), ...workspaceRoutes].filter(
  ({ auth }) => auth !== 'public',
)
test.each(clients)("$method /app/v1$path: an operator's cookie opens nothing", async (route) => {
  for (const cookie of [cookieOf(operator), renamed(operator, 'ergon-operator', 'ergon')]) {
    const headers = { origin: app.url, cookie }
    const answer = await app.call(route.method, `/app/v1${pathOf(route.path)}`, { headers })
    expect([answer.status, answer.text]).toEqual([401, '{"detail":"Sign in required"}'])
  }
})

test("operators' routes are not under /v1 or /app/v1", async () => {
  const own = new Set([...routes, ...workspaceRoutes].map(({ path }) => path))
  for (const { method, path } of guarded.filter((route) => !own.has(route.path))) {
    for (const prefix of ['/v1', '/app/v1']) {
      const answer = await app.call(method, prefix + pathOf(path), { key: keyed.api_key })
      expect([prefix + path, [404, 405].includes(answer.status)]).toEqual([prefix + path, true])
    }
  }
})

test('a client cannot sign in at the console, nor an operator at the workspace', async () => {
  const words = 'E-mail address or password is wrong.'
  const wrong = { error: 'invalid_login', message: words }
  const asClient = { email: client.email, password: PASSWORD }
  const atDesk = await atConsole(app.url).call('POST', '/session/sign-in', asClient)
  expect([atDesk.status, atDesk.body.detail]).toEqual([401, wrong])
  const asOperator = { email: operator.email, password: PASSWORD }
  const atShop = await openVisitor(app.url).call('POST', '/session/sign-in', asOperator)
  expect([atShop.status, atShop.body.detail]).toEqual([401, wrong])
})

const BODY = { why: 'an odd id', decision: 'absent', basis_points: 0, amount_trx: '1', to: 'T' }
test.each(guarded.filter(({ path }) => path.includes('{id}')))(
  '$method $path: an odd id is nothing, and leaves no line',
  async ({ method, path }) => {
    const before = await fingerprint()
    for (const odd of ['not-an-id', '%00', '%27%20or%201%3D1', 'x'.repeat(99), ID]) {
      const body = method === 'GET' ? undefined : BODY
      const answer = await operator.call(method, path.replace('{id}', odd), body)
      expect([odd, answer.status < 500 && answer.status >= 400]).toEqual([odd, true])
    }
    const after = await fingerprint()
    // A request for a valid id is logged as an action, so leave out that count.
    expect({ ...after[0], actions: 0 }).toEqual({ ...before[0], actions: 0 })
  },
)

test("an operator's session that is planted is not the one that is signed in", async () => {
  const attacker = await openOperator(app, 'eve@example.com')
  const victim = atConsole(app.url)
  for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
  await signInAsOperator(app, operator.email, victim)
  expect((await victim.call('GET', '/session')).body.email).toBe(operator.email)
  expect((await attacker.call('GET', '/session')).body.email).toBe(attacker.email)
})

test('who signed out is out', async () => {
  const gone = await openOperator(app, 'gone@example.com')
  const cookie = cookieOf(gone)
  expect((await gone.call('GET', '/status')).status).toBe(200)
  await gone.call('POST', '/session/sign-out')
  const answer = await app.call('GET', '/operator/v1/status', { headers: { cookie } })
  expect(answer.status).toBe(401)
})

test('the log of actions cannot be rewritten by the service', async () => {
  await operator.call('POST', '/switches/webhooks', { enabled: true, why: 'a line to attack' })
  const pool = new pg.Client({ connectionString: app.database.url('ergon_app') })
  await pool.connect()
  const attacks = [
    `delete from operator.action`,
    `delete from operator.outcome`,
    `truncate operator.action cascade`,
    `update operator.action set who = 'nobody'`,
    `update operator.outcome set done = false`,
  ]
  for (const attack of attacks) {
    await expect(pool.query(attack)).rejects.toMatchObject({ code: '42501' })
  }
  await pool.end()
})

async function fingerprint() {
  return app.database.sql(`
    select (select count(*) from operator.action) as actions, (select count(*) from operator.adjustment) as adjustments,
           (select enabled from orders.selling) as selling, (select count(*) from ledger.movement) as movements,
           (select schedule_sun from pricing.terms) as schedule`)
}
