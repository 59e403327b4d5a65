// Proves: identity, operator.
import { operatorRoutes } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole, codeOfOperator, createOperator, openOperator } from '../testing/operator.ts'
import { bodyFor, pathOf } from '../testing/operatorCalls.ts'
import { PASSWORD, type Visitor } from '../testing/visitor.ts'

// A password, or a session that was left open, is not enough to move money or turn a switch.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const READS = [
  '/schedule/preview',
  '/followed/replay',
  '/findings/check',
  '/treasury/reconcile',
  '/stakes/preview',
  '/books/statements/run',
]
const STEP_UP = '/session/step-up'
const changes = operatorRoutes.filter(({ method, auth }) => method !== 'GET' && auth === 'operator')
const guarded = changes.filter(({ path }) => !READS.includes(path) && !path.startsWith(STEP_UP))

async function withoutApp(email: string): Promise<Visitor> {
  await app.console!.sessions.createOperator(email, PASSWORD)
  const visitor = atConsole(app.url)
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  return visitor
}

const ageCodes = (email: string, interval: string) =>
  app.database.sql(`
    update better_auth.session set "codeAt" = "codeAt" - interval '${interval}'
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

const fingerprint = () =>
  app.database.sql(`
    select (select count(*) from operator.action) as actions, (select enabled from orders.selling) as selling,
           (select count(*) from ledger.movement) as movements, (select schedule_sun from pricing.terms) as schedule`)

test('what changes something needs the second factor, except what is named here', () => {
  expect(guarded.length).toBeGreaterThan(12)
  for (const { path, secondFactor } of guarded)
    expect([path, secondFactor]).toEqual([path, 'needed'])
})

test('a password alone changes nothing', async () => {
  const thief = await withoutApp('bare@example.com')
  const before = await fingerprint()
  const body = await bodyFor(thief)
  for (const { method, path } of guarded) {
    const answer = await thief.call(method, pathOf(path), body)
    expect([path, answer.status, answer.body.detail?.error]).toEqual([
      path,
      403,
      'second_factor_required',
    ])
  }
  expect(await fingerprint()).toEqual(before)
  expect((await thief.call('GET', '/status')).status).toBe(200)
})

test('a session whose last code is ten minutes old changes nothing until a new one is shown', async () => {
  const ann = await openOperator(app, 'ann@example.com')
  const turn = () => ann.call('POST', '/switches/webhooks', { enabled: true, why: 'a test' })
  expect((await turn()).status).toBe(200)
  await ageCodes(ann.email, '9 minutes')
  expect((await turn()).status).toBe(200)
  await ageCodes(ann.email, '1 minute')
  const before = await fingerprint()
  const body = await bodyFor(ann)
  for (const { method, path } of guarded) {
    const answer = await ann.call(method, pathOf(path), body)
    expect([path, answer.status, answer.body.detail?.error]).toEqual([path, 403, 'code_required'])
  }
  expect(await fingerprint()).toEqual(before)
  const wrong = await ann.call('POST', STEP_UP, { code: '000000' })
  expect(wrong.body.detail.error).toBe('invalid_code')
  expect((await turn()).status).toBe(403)
  const shown = await ann.call('POST', STEP_UP, { code: await codeOfOperator(app, ann.email) })
  expect(shown.status).toBe(200)
  expect((await turn()).status).toBe(200)
})

test('codes cannot be guessed one after the other, nor all at once, nor at another endpoint', async () => {
  const eve = await openOperator(app, 'eve@example.com')
  await ageCodes(eve.email, '1 hour')
  const guess = () => eve.call('POST', STEP_UP, { code: '000000' })
  const answers = await Promise.all(Array.from({ length: 20 }, guess))
  const errors = answers.map(({ body }) => body.detail.error)
  expect(errors.filter((error) => error === 'invalid_code')).toHaveLength(10)
  expect(errors.filter((error) => error === 'too_many_attempts')).toHaveLength(10)
  const code = await codeOfOperator(app, eve.email)
  const late = await eve.call('POST', STEP_UP, { code })
  expect(late.body.detail.error).toBe('too_many_attempts')
  expect((await eve.call('POST', '/session/code', { code })).status).toBe(401)
  const turn = await eve.call('POST', '/switches/webhooks', { enabled: true, why: 'a test' })
  expect(turn.body.detail.error).toBe('code_required')
  await app.database.sql(`update better_auth."twoFactor" set "lockedUntil" = now()
    where "lockedUntil" is not null`)
  expect((await eve.call('POST', STEP_UP, { code })).status).toBe(200)
})

test('who has a password sets up no app of their own: that is done on a machine of ours', async () => {
  const thief = await withoutApp('new@example.com')
  for (const path of ['', '/confirm', '/remove']) {
    const asked = { password: PASSWORD, code: '000000' }
    expect((await thief.call('POST', `/session/totp${path}`, asked)).status).toBe(404)
  }
  const shown = await thief.call('POST', STEP_UP, { code: '000000' })
  const turned = await thief.call('POST', '/switches/webhooks', { enabled: true, why: 'a theft' })
  for (const { status, body } of [shown, turned]) {
    expect([status, body.detail]).toEqual([
      403,
      {
        error: 'second_factor_required',
        message: expect.stringContaining('npx ergon operators totp new@example.com'),
      },
    ])
  }
})

/** After the password, before the code. */
async function halfWay(email: string): Promise<Visitor> {
  const visitor = atConsole(app.url)
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  return visitor
}

test('a code opens one session, and is worth nothing to who has seen it', async () => {
  const email = 'seen@example.com'
  await createOperator(app, email)
  const code = await codeOfOperator(app, email)
  const own = await halfWay(email)
  expect((await own.call('POST', '/session/code', { code })).status).toBe(200)
  const thief = await halfWay(email)
  const again = await thief.call('POST', '/session/code', { code })
  expect([again.status, again.body.detail.error]).toEqual([401, 'invalid_code'])
  const stepUp = await own.call('POST', STEP_UP, { code })
  expect([stepUp.status, stepUp.body.detail.error]).toEqual([401, 'invalid_code'])
  const counted = await app.database.sql(`select "failedVerificationCount" as wrong
    from better_auth."twoFactor" where "userId" = (select id from better_auth."user" where email = '${email}')`)
  expect(counted).toEqual([{ wrong: 2 }])
  expect((await own.call('GET', '/status')).status).toBe(200)
})

test('of many that show one code at the same moment, one gets in', async () => {
  const email = 'race@example.com'
  await createOperator(app, email)
  const visitors = await Promise.all(Array.from({ length: 8 }, () => halfWay(email)))
  const code = await codeOfOperator(app, email)
  const shown = visitors.map((visitor) => visitor.call('POST', '/session/code', { code }))
  const statuses = (await Promise.all(shown)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, ...Array(7).fill(401)])
})

test('a code that has been shown in an open session opens no other', async () => {
  const ann = await openOperator(app, 'stepped@example.com')
  const code = await codeOfOperator(app, ann.email)
  expect((await ann.call('POST', STEP_UP, { code })).status).toBe(200)
  const thief = await halfWay(ann.email)
  expect((await thief.call('POST', '/session/code', { code })).status).toBe(401)
})

const sessionOf = (email: string, set: string) =>
  app.database.sql(`update better_auth.session set ${set}
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

test("an operator's session ends after 30 minutes without use; pages that ask by themselves are none", async () => {
  const idle = await openOperator(app, 'idle@example.com')
  const [row] = await app.database.sql<{ left: number }>(`
    select extract(epoch from "expiresAt" - now())::int as left from better_auth.session
     where "userId" = (select id from better_auth."user" where email = 'idle@example.com')`)
  expect(row!.left).toBeGreaterThan(1_700)
  expect(row!.left).toBeLessThanOrEqual(1_800)
  await sessionOf(idle.email, `"expiresAt" = now() + interval '1 minute'`)
  const alone = await idle.call('GET', '/status', undefined, { 'x-idle': '1' })
  expect([alone.status, alone.headers.getSetCookie()]).toEqual([200, []])
  const answer = await idle.call('GET', '/status')
  expect([answer.status, answer.headers.getSetCookie().length > 0]).toEqual([200, true])
  await sessionOf(idle.email, `"expiresAt" = now()`)
  expect((await idle.call('GET', '/status')).status).toBe(401)
})

test("an operator's session ends after 12 hours, however much it is used", async () => {
  const long = await openOperator(app, 'long@example.com')
  await sessionOf(long.email, `"createdAt" = now() - interval '719 minutes'`)
  expect((await long.call('GET', '/status')).status).toBe(200)
  await sessionOf(long.email, `"createdAt" = now() - interval '720 minutes'`)
  expect((await long.call('GET', '/status')).status).toBe(401)
})
