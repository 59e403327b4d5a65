// Proves: identity, operator.
import { createOTP } from '@better-auth/utils/otp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole, codeOfOperator, createOperator, openOperator } from '../testing/operator.ts'
import { fromBase32, nextCode } from '../testing/otp.ts'
import { openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'

// A session cookie of the workspace, renamed, is worthless at the console, and the reverse: it
// tries no codes and is not extended.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const OPERATOR = 'ergon-operator'
const CLIENT = 'ergon'

/** The cookies of one sign-in under the names of the other. */
function rename(from: Visitor, to: Visitor, [old, other]: [string, string]): Visitor {
  for (const [name, value] of from.cookies) to.cookies.set(name.replace(old, other), value)
  expect(to.cookies.size).toBeGreaterThan(0)
  return to
}

const session = (email: string) =>
  app.database.sql(`select id, "expiresAt", "codeAt" from better_auth.session
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

const endsSoon = (email: string) =>
  app.database.sql(`update better_auth.session set "expiresAt" = now() + interval '5 minutes'
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

async function clientWithApp() {
  const client = await signUp(app.url)
  const begun = await client.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  await client.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  return { ...client, otp }
}

/** A right code and a wrong one get the same answer, and the session is unchanged. */
async function expectClosed(thief: Visitor, email: string, code: string) {
  await endsSoon(email)
  const before = await session(email)
  for (const tried of [code, '000000']) {
    const answer = await thief.call('POST', '/session/code', { code: tried })
    expect([answer.status, answer.body.detail.message]).toEqual([
      401,
      'This took too long. Sign in again.',
    ])
  }
  for (const path of ['/account', '/session', '/status']) {
    expect((await thief.call('GET', path)).status).toBeGreaterThan(400)
  }
  expect(await session(email)).toEqual(before)
}

test("an operator's session tries no codes at the workspace, and is not extended", async () => {
  const ann = await openOperator(app, 'ann@example.com')
  const thief = rename(ann, openVisitor(app.url), [OPERATOR, CLIENT])
  await expectClosed(thief, ann.email, await codeOfOperator(app, ann.email))
})

test("a client's session tries no codes at the console, and is not extended", async () => {
  const client = await clientWithApp()
  const thief = rename(client, atConsole(app.url), [CLIENT, OPERATOR])
  await expectClosed(thief, client.email, await nextCode(client.otp))
})

test('a sign-in at the console that lacks its code does not open the workspace', async () => {
  const email = 'bob@example.com'
  await createOperator(app, email)
  const bob = atConsole(app.url)
  await bob.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const crossed = rename(bob, openVisitor(app.url), [OPERATOR, CLIENT])
  const answer = await crossed.call('POST', '/session/code', {
    code: await codeOfOperator(app, email),
  })
  expect(answer.status).toBe(401)
  expect(await session(email)).toEqual([])
})

test('a sign-in at the workspace that lacks its code does not open the console', async () => {
  const client = await clientWithApp()
  await client.call('POST', '/session/sign-out')
  const { email } = client
  await client.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const crossed = rename(client, atConsole(app.url), [CLIENT, OPERATOR])
  const answer = await crossed.call('POST', '/session/code', { code: await nextCode(client.otp) })
  expect(answer.status).toBe(401)
  expect(await session(email)).toEqual([])
})
