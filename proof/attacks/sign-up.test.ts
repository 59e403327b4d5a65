// Proves: identity.
import { afterEach, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openMailServer } from '../testing/smtp.ts'
import { until } from '../testing/until.ts'
import { confirmSignUp, openVisitor, PASSWORD, signUp } from '../testing/visitor.ts'

// A sign-up does not reveal who has an account, and nobody can sign up for somebody else.

let app: TestApp
afterEach(() => app.close())

const WEB = 'http://ergon.example'
const ask = (email: string, headers = {}) =>
  openVisitor(app.url).call('POST', '/session/sign-up', { email }, headers)

test('a known address is answered like a new one, and costs the same statements', async () => {
  const server = await openMailServer()
  const mail = { url: server.url, user: '', password: '', from: 'Ergon <ergon@example.com>' }
  app = await openTestApp({ sandbox: false, webUrl: WEB, mail })
  const known = { email: 'known@example.com', password: PASSWORD, name: '', referralCode: '' }
  await app.workspace!.sessions.signUp({}, known)
  await app.console!.sessions.createOperator('op@example.com', PASSWORD)
  const count = async (table: string) =>
    (await app.database.sql<{ n: number }>(`select count(*)::int n from ${table}`))[0]!.n
  for (const email of [
    'new@example.com',
    'known@example.com',
    'KNOWN@example.com',
    'op@example.com',
  ]) {
    const before = await count('better_auth.verification')
    const answer = await ask(email, { origin: WEB })
    expect([answer.status, answer.text]).toEqual([200, '{"letters":"sent","link":null}'])
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await count('better_auth.verification')).toBe(before + 1)
  }
  expect(await count('identity.account')).toBe(1)
  const letters = await until('four letters', () => server.letters.length === 4 && server.letters)
  const wordsOf = (data: string) =>
    data.replaceAll('=\n', '').split('\n\n').slice(1).join('\n').replace(/#\S+/, '#')
  expect(new Set(letters.map(({ data }) => wordsOf(data))).size).toBe(1)
  await server.close()
})

test('the link of a known address opens nothing and changes nothing', async () => {
  app = await openTestApp()
  const owner = await signUp(app.url)
  const { link } = (await ask(owner.email)).body
  const thief = openVisitor(app.url)
  const answer = await confirmSignUp(thief, link, 'the password of a thief')
  expect([answer.status, answer.body.detail.error]).toEqual([401, 'invalid_sign_up_link'])
  expect(thief.cookies.size).toBe(0)
  const login = { email: owner.email, password: PASSWORD }
  expect((await openVisitor(app.url).call('POST', '/session/sign-in', login)).status).toBe(200)
})

test('a link opens one account, once, within an hour', async () => {
  app = await openTestApp()
  const { link } = (await ask('once@example.com')).body
  const visitors = [1, 2, 3].map(() => openVisitor(app.url))
  const answers = await Promise.all(visitors.map((visitor) => confirmSignUp(visitor, link)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  const late = (await ask('late@example.com')).body
  await app.database.sql(
    `update better_auth.verification set "expiresAt" = "expiresAt" - interval '1 hour'`,
  )
  expect((await confirmSignUp(openVisitor(app.url), late.link)).status).toBe(401)
})

test('without a mail server nobody signs up by e-mail, and the page can say why', async () => {
  app = await openTestApp({ sandbox: false, webUrl: WEB })
  const answer = await ask('new@example.com', { origin: WEB })
  expect([answer.status, answer.body.detail.error]).toEqual([503, 'no_mail_server'])
})
