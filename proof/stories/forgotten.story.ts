// Proves: identity.
import { createOTP } from '@better-auth/utils/otp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { openOperator } from '../testing/operator.ts'
import { fromBase32 } from '../testing/otp.ts'
import { type MailServer, openMailServer } from '../testing/smtp.ts'
import { until } from '../testing/until.ts'
import { openVisitor, PASSWORD, signUpWithoutLetter } from '../testing/visitor.ts'

// A user who forgot the password gets an e-mail with a link, which works once and for half an hour.

let app: TestApp
let server: MailServer
let logged = ''
beforeAll(async () => {
  server = await openMailServer()
  const write = (line: string) => {
    logged += line
  }
  app = await openTestApp({
    mail: { url: server.url, user: '', password: '', from: 'Ergon <ergon@example.com>' },
    log: createLog('debug', { write }),
  })
})
afterAll(async () => {
  await app?.close()
  await server?.close()
})

const OTHER = 'another horse battery'
const lettersTo = (email: string) => server.letters.filter(({ to }) => to === email)
const ask = (email: string) => openVisitor(app.url).call('POST', '/session/forgotten', { email })
const set = (token: string, new_password = OTHER) =>
  openVisitor(app.url).call('POST', '/session/reset', { token, new_password })

async function signIn(email: string, password: string) {
  const visitor = openVisitor(app.url)
  const answer = await visitor.call('POST', '/session/sign-in', { email, password })
  return { ...answer, visitor }
}

/** Requests a link, waits for the e-mail, and reads the token in its link. */
async function tokenFor(email: string, typed = email): Promise<string> {
  const before = lettersTo(email).length
  expect((await ask(typed)).body).toEqual({ letters: 'sent' })
  const letter = await until('a letter', () => lettersTo(email)[before])
  const text = letter.data.replaceAll('=\n', '').replaceAll('=3D', '=')
  const [, token] = /\/reset#([\w-]{43})\n/.exec(text)!
  return token!
}

test('the link changes the password once, and everybody is signed out', async () => {
  const ada = await signUpWithoutLetter(app)
  const thief = (await signIn(ada.email, PASSWORD)).visitor
  const token = await tokenFor(ada.email, ada.email.toUpperCase())
  const unused = await tokenFor(ada.email)
  expect((await set(token, 'too short')).status).toBe(422)
  expect((await set(token)).status).toBe(200)
  for (const visitor of [ada, thief])
    expect((await visitor.call('GET', '/session')).status).toBe(401)
  expect((await signIn(ada.email, PASSWORD)).status).toBe(401)
  expect((await signIn(ada.email, OTHER)).status).toBe(200)
  const changed = await until('a letter that says so', () => lettersTo(ada.email)[2])
  expect(changed.data).toContain('Subject: Your password at Ergon was changed')
  for (const dead of [token, unused, `${token}x`, '', 'x'.repeat(43)]) {
    const answer = await set(dead, PASSWORD)
    expect([dead, answer.status]).toEqual([dead, 401])
    expect(answer.body.detail.error).toBe('invalid_reset_link')
  }
  expect((await signIn(ada.email, OTHER)).status).toBe(200)
})

test('one link at the same moment from three browsers is worth one password', async () => {
  const { email } = await signUpWithoutLetter(app)
  const token = await tokenFor(email)
  const passwords = ['first horse battery', 'second horse battery', 'third horse battery']
  const answers = await Promise.all(passwords.map((password) => set(token, password)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await signIn(email, passwords[winner]!)).status).toBe(200)
})

test('a link is over after half an hour', async () => {
  const { email } = await signUpWithoutLetter(app)
  const token = await tokenFor(email)
  const ends = await app.database.sql<{ minutes: number }>(
    `select extract(epoch from "expiresAt" - "createdAt")::float8 / 60 as minutes from better_auth.verification`,
  )
  for (const { minutes } of ends) expect(minutes).toBeCloseTo(30, 1)
  await app.database.sql(
    `update better_auth.verification set "expiresAt" = now() - interval '1 second'`,
  )
  expect((await set(token)).status).toBe(401)
  expect((await signIn(email, PASSWORD)).status).toBe(200)
})

test('asking tells nobody who has an account; operators and wallets get no letter', async () => {
  const known = await signUpWithoutLetter(app)
  const operator = await openOperator(app, 'op.forgets@example.com')
  const addresses = [
    known.email,
    'nobody@example.com',
    operator.email,
    `41${'0'.repeat(40)}@wallet.invalid`,
  ]
  const answers = await Promise.all(addresses.map(ask))
  const seen = answers.map(({ status, text, headers }) => {
    const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
    return JSON.stringify([status, text, kept])
  })
  expect(new Set(seen).size).toBe(1)
  await until('the one letter', () => lettersTo(known.email)[0])
  // E-mails are written in order, so an earlier one would have arrived by now.
  await tokenFor(known.email)
  for (const email of addresses.slice(1)) expect(lettersTo(email)).toEqual([])
})

test('nobody can fill a letter box: three letters an hour, whoever asks', async () => {
  const { email } = await signUpWithoutLetter(app)
  for (let i = 0; i < 5; i += 1) await ask(email)
  await until('three letters', () => lettersTo(email).length === 3)
  const somebody = await signUpWithoutLetter(app)
  await tokenFor(somebody.email)
  expect(lettersTo(email)).toHaveLength(3)
})

test('the second step stays', async () => {
  const ada = await signUpWithoutLetter(app)
  const begun = await ada.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  await ada.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  expect((await set(await tokenFor(ada.email))).status).toBe(200)
  expect((await signIn(ada.email, OTHER)).body).toEqual({
    totp_required: true,
    second_step: ['code'],
  })
})

test('neither the log nor the database has a link that works', async () => {
  const { email } = await signUpWithoutLetter(app)
  const token = await tokenFor(email)
  const rows = await app.database.sql(`select * from better_auth.verification`)
  expect(JSON.stringify(rows)).not.toContain(token)
  await until('the letter is gone from the queue', async () => {
    return (await app.database.sql('select from mail.letter')).length === 0
  })
  expect(logged).not.toContain(token)
  expect((await set(token)).status).toBe(200)
})
