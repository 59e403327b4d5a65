// Proves: identity.
import { afterEach, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole } from '../testing/operator.ts'
import { type TestRuntime, testRuntime } from '../testing/runtime.ts'
import { openVisitor, PASSWORD } from '../testing/visitor.ts'

let app: TestApp
let runtime: TestRuntime
const WEB = 'http://ergon.example'
async function open() {
  runtime = testRuntime()
  const trustedProxies = ['127.0.0.1']
  app = await openTestApp({ runtime, sandbox: false, webUrl: WEB, trustedProxies })
}
afterEach(() => app.close())

const EMAIL = 'ada@example.com'
async function signUp() {
  const person = { email: EMAIL, password: PASSWORD, name: '', referralCode: '' }
  expect(await app.workspace!.sessions.signUp({}, person)).toMatchObject({ secondStep: [] })
}

/** Statuses of sign-ins for one e-mail address from one client address. */
async function tries(count: number, email: string, password: string, from: string) {
  const visitor = openVisitor(app.url)
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) {
    const headers = { origin: WEB, 'x-forwarded-for': from }
    const answer = await visitor.call('POST', '/session/sign-in', { email, password }, headers)
    statuses.push(answer.status)
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  return statuses
}
const MALLORY = '203.0.113.1'
const HOME = '198.51.100.7'

test('guessing at one login is slowed down; its owner signs in from elsewhere', async () => {
  await open()
  await signUp()
  expect(await tries(7, EMAIL, 'not the password', MALLORY)).toEqual([
    ...Array(5).fill(401),
    ...Array(2).fill(429),
  ])
  expect(await tries(1, EMAIL.toUpperCase(), PASSWORD, MALLORY)).toEqual([429])
  expect(await tries(1, 'somebody.else@example.com', 'x', MALLORY)).toEqual([401])
  expect(await tries(1, EMAIL, PASSWORD, HOME)).toEqual([200])
  runtime.pass(60_000)
  expect(await tries(1, EMAIL, PASSWORD, MALLORY)).toEqual([200])
})

test('guessing at the login of an operator is slowed down as well', async () => {
  await open()
  await app.console!.sessions.createOperator(EMAIL, PASSWORD)
  const signIn = async (password: string, from: string) => {
    const headers = { origin: WEB, 'x-forwarded-for': from }
    const body = { email: EMAIL, password }
    return (await atConsole(app.url).call('POST', '/session/sign-in', body, headers)).status
  }
  const statuses: number[] = []
  for (let i = 0; i < 7; i += 1) statuses.push(await signIn('not the password', MALLORY))
  expect(statuses).toEqual([...Array(5).fill(401), ...Array(2).fill(429)])
  expect(await signIn(PASSWORD, MALLORY)).toBe(429)
  expect(await signIn(PASSWORD, HOME)).toBe(200)
})

test('mistakes before the right password count no more', async () => {
  await open()
  await signUp()
  for (let round = 0; round < 2; round += 1) {
    expect(await tries(4, EMAIL, 'mistyped again', HOME)).toEqual(Array(4).fill(401))
    expect(await tries(1, EMAIL, PASSWORD, HOME)).toEqual([200])
  }
})

test('one client address has 20 sign-ins a minute, whatever the logins', async () => {
  await open()
  const statuses: number[] = []
  for (let i = 0; i < 22; i += 1) {
    statuses.push(...(await tries(1, `u${i}@example.com`, 'not the password', MALLORY)))
  }
  expect(statuses).toEqual([...Array(20).fill(401), ...Array(2).fill(429)])
})
