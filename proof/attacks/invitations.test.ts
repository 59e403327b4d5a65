// Proves: identity, operator.
import { createOTP } from '@better-auth/utils/otp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole, openOperator, rolesOf } from '../testing/operator.ts'
import { fromBase32 } from '../testing/otp.ts'
import { PASSWORD, type Visitor } from '../testing/visitor.ts'

// An invitation lets in one person, once, in time, with the role that an administrator gave.

let app: TestApp
let admin: Visitor & { email: string }
beforeAll(async () => {
  app = await openTestApp({ mail: 'log' })
  admin = await openOperator(app)
})
afterAll(() => app.close())

const why = 'a new colleague'
async function invite(email: string, more: object = {}) {
  const body = { email, role: 'support', by_mail: false, why, ...more }
  const answer = await admin.call('POST', '/team/invitations', body)
  const token: string = answer.body.link?.split('#')[1] ?? ''
  return { ...answer.body, status: answer.status, token }
}
const accept = (token: string, email: string) =>
  atConsole(app.url).call('POST', '/session/invitation', { token, email, password: PASSWORD })
const NOT_VALID = {
  error: 'invalid_invitation',
  message: expect.stringContaining('Ask for a new one'),
}
const refused = async (token: string, email: string) => {
  const answer = await accept(token, email)
  expect([answer.status, answer.body.detail]).toEqual([401, NOT_VALID])
}
const stateOf = async (id: string) => {
  const { body } = await admin.call('GET', '/team')
  return body.invitations.find((one: { id: string }) => one.id === id).state
}

test('somebody who is invited gets the role, an app with the password, and is in the log', async () => {
  const { invitation, link, token } = await invite('New@example.com')
  expect(link).toMatch(/\/operator\/invitation#[\w-]{43}$/)
  expect(invitation).toMatchObject({ email: 'new@example.com', role: 'support', state: 'open' })
  const { status, body } = await accept(token, 'new@example.com')
  expect([status, body.role]).toEqual([200, 'support'])
  const visitor = atConsole(app.url)
  const asked = { email: 'new@example.com', password: PASSWORD }
  const first = await visitor.call('POST', '/session/sign-in', asked)
  // The password alone opens nothing, not even to read.
  expect(first.body).toEqual({ totp_required: true, second_step: ['code'] })
  expect((await visitor.call('GET', '/status')).status).toBe(401)
  const code = await createOTP(fromBase32(body.totp_secret)).totp()
  expect((await visitor.call('POST', '/session/code', { code })).status).toBe(200)
  expect((await visitor.call('GET', '/session')).body).toMatchObject({ role: 'support' })
  expect(await stateOf(invitation.id)).toBe('accepted')
  const log = await admin.call('GET', '/actions?subject=new@example.com')
  expect(log.body.actions).toMatchObject([
    { who: 'new@example.com', what: 'accept_invitation', why: `invited by ${admin.email}` },
    { who: admin.email, what: 'invite', change: { role: 'support' } },
  ])
})

test('a link works once, also for two who use it at the same moment', async () => {
  const { token } = await invite('once@example.com')
  const both = await Promise.all([1, 2].map(() => accept(token, 'once@example.com')))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  await refused(token, 'once@example.com')
})

test('a link is for one address', async () => {
  const { token } = await invite('mine@example.com')
  await refused(token, 'thief@example.com')
  expect((await accept(token, 'MINE@example.com')).status).toBe(200)
})

test('a link ends by itself, by a word, and by the next one to the same address', async () => {
  const late = await invite('late@example.com')
  await app.database.sql(`update identity.invitation set created_at = now() - interval '4 days',
    expires_at = now() where id = '${late.invitation.id}'`)
  await refused(late.token, 'late@example.com')
  expect(await stateOf(late.invitation.id)).toBe('ended')

  const revoked = await invite('sorry@example.com')
  const path = `/team/invitations/${revoked.invitation.id}/revocation`
  expect((await admin.call('POST', path, { why })).status).toBe(200)
  expect((await admin.call('POST', path, { why })).status).toBe(404)
  await refused(revoked.token, 'sorry@example.com')

  const before = await invite('again@example.com')
  const after = await invite('again@example.com')
  await refused(before.token, 'again@example.com')
  expect((await accept(after.token, 'again@example.com')).status).toBe(200)
})

test('links of somebody who is no administrator any more end', async () => {
  const other = await openOperator(app, 'leaving@example.com')
  const body = { email: 'friend@example.com', role: 'administrator', by_mail: false, why }
  const made = await other.call('POST', '/team/invitations', body)
  expect(await rolesOf(app).set(other.email, 'viewer')).toBeUndefined()
  await refused(made.body.link.split('#')[1], 'friend@example.com')
})

test('an address that somebody has is not invited, and a token is not kept', async () => {
  expect((await invite(admin.email)).status).toBe(400)
  const { token } = await invite('hash@example.com')
  const rows = await app.database.sql(`select i::text as row from identity.invitation i
    union all select a::text from operator.action a union all select o::text from operator.outcome o`)
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('by mail the link goes to the address and to nobody else', async () => {
  const made = await invite('mail@example.com', { by_mail: true })
  expect([made.status, made.link]).toEqual([200, null])
  const ended = await app.database.sql(`select state from (select revoked_at is null as state
    from identity.invitation where email = 'mail@example.com') i`)
  expect(ended).toEqual([{ state: true }])
})

test('an operator changes roles and takes people out at the console', async () => {
  const eve = await openOperator(app, 'eve@example.com', 'viewer')
  const { body } = await admin.call('GET', '/team')
  const one = body.operators.find(({ email }: { email: string }) => email === eve.email)
  const raised = await admin.call('POST', `/team/${one.id}/role`, { role: 'finance', why })
  expect(raised.body).toMatchObject({ email: eve.email, role: 'finance' })
  expect((await admin.call('POST', `/team/${one.id}/removal`, { why })).status).toBe(200)
  expect((await eve.call('GET', '/session')).status).toBe(401)
})

test('the log is read by person, thing and time, in pages', async () => {
  const turn = (name: string) =>
    admin.call('POST', `/switches/${name}`, { enabled: true, why: 'for the log' })
  for (const name of ['webhooks', 'sweeps', 'webhooks']) await turn(name)
  const read = async (query: string) =>
    (await admin.call('GET', `/actions?${query}`)).body.actions as { id: string; subject: string }[]
  const on = await read('subject=webhooks&limit=1')
  expect(on).toHaveLength(1)
  expect(await read(`subject=webhooks&before=${on[0]!.id}`)).toHaveLength(1)
  expect(await read('who=nobody@example.com')).toEqual([])
  expect((await read(`who=${admin.email}&subject=sweeps`)).length).toBe(1)
  const today = new Date().toISOString().slice(0, 10)
  expect((await read(`from=${today}&subject=webhooks`)).length).toBe(2)
  expect(await read('to=2020-01-01')).toEqual([])
  expect((await admin.call('GET', '/actions?from=yesterday')).status).toBe(400)
})
