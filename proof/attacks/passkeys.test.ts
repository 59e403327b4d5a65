// Proves: identity, operator.
import { createOTP } from '@better-auth/utils/otp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../service/kernel/index.ts'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole, openOperator } from '../testing/operator.ts'
import { fromBase32 } from '../testing/otp.ts'
import { addPasskey, type Device, openDevice, signInBy, stepUpBy } from '../testing/passkey.ts'
import { openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'

// A passkey opens what it was asked for, once, for its owner, at our site and at its own entrance.

let app: TestApp
let logged = ''
beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  app = await openTestApp({ log: createLog('debug', { write }) })
})
afterAll(() => app.close())

/** A client whose only second factor is a passkey. */
async function clientWithPasskey() {
  const client = await signUp(app.url)
  const device = openDevice(app.url)
  const { id } = await addPasskey(client, device, PASSWORD)
  return { ...client, device, id }
}

const ask = async (visitor: Visitor, path = '/session/passkey/challenge') =>
  (await visitor.call('POST', path, {})).body as { challenge: string; rp_id: string }

async function expectRefused(visitor: Visitor, body: unknown, path = '/session/passkey') {
  const answer = await visitor.call('POST', path, body)
  expect([answer.status, answer.body.detail.error]).toEqual([401, 'invalid_passkey'])
  expect(answer.body.detail.message).toContain('This passkey was not accepted')
  return answer
}

const sessionsOf = async (email: string) =>
  app.database.sql(`select id from better_auth.session
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

const ageFactors = (email: string) =>
  app.database.sql(`update better_auth.session set "codeAt" = "codeAt" - interval '1 hour'
     where "userId" = (select id from better_auth."user" where email = '${email}')`)

test('every lie of a device is refused, with the same words', async () => {
  const { device, email } = await clientWithPasskey()
  const before = await sessionsOf(email)
  const thief = openVisitor(app.url)
  const stranger = openDevice(app.url)
  const lies = [
    { origin: 'https://ergon.example' },
    { origin: app.url },
    { rpId: 'ergon.example' },
    { verified: false },
    { present: false },
    { type: 'webauthn.create' },
    { userHandle: Buffer.from('somebody else').toString('base64url') },
    { crossOrigin: true },
    { tamper: true },
    { id: stranger.id },
  ]
  for (const lie of lies) await expectRefused(thief, device.show(await ask(thief), lie))
  // Another key under a known id.
  await expectRefused(thief, stranger.show(await ask(thief), { id: device.id }))
  for (const data of ['AAAA', Buffer.from('null').toString('base64url')]) {
    await expectRefused(thief, { ...device.show(await ask(thief)), client_data: data })
  }
  expect(await sessionsOf(email)).toEqual(before)
  expect((await thief.call('GET', '/session')).status).toBe(401)
  expect((await signInBy(thief, device)).status).toBe(200)
})

test('the site is the one of the settings, whatever the Host header says', async () => {
  const { device } = await clientWithPasskey()
  const thief = openVisitor(app.url)
  const headers = { host: 'ergon.example', 'x-forwarded-host': 'ergon.example' }
  const asked = await thief.call('POST', '/session/passkey/challenge', {}, headers)
  expect(asked.body.rp_id).toBe('localhost')
  const lie = { origin: 'https://ergon.example', rpId: 'ergon.example' }
  const shown = device.show(asked.body, lie)
  const answer = await thief.call('POST', '/session/passkey', shown, headers)
  expect(answer.status).toBe(401)
})

test('an answer is taken once, and of many at the same moment one', async () => {
  const { device } = await clientWithPasskey()
  // Of a device that does not count, so that nothing else refuses it.
  const shown = device.show(await ask(openVisitor(app.url)), { counter: 0 })
  const tries = Array.from({ length: 6 }, () =>
    openVisitor(app.url).call('POST', '/session/passkey', shown),
  )
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, ...Array(5).fill(401)])
  await expectRefused(openVisitor(app.url), shown)
})

test('a challenge is over after five minutes, and one that nobody asked for is none', async () => {
  const { device } = await clientWithPasskey()
  const visitor = openVisitor(app.url)
  const late = await ask(visitor)
  await app.database.sql(
    `update identity.passkey_challenge set expires_at = expires_at - interval '301 seconds'
      where challenge = $1`,
    [late.challenge],
  )
  await expectRefused(visitor, device.show(late))
  const own = { ...late, challenge: Buffer.alloc(32, 7).toString('base64url') }
  await expectRefused(visitor, device.show(own))
})

test('a counter that does not go up is refused, also by two answers at once', async () => {
  const { device, id } = await clientWithPasskey()
  const visitor = openVisitor(app.url)
  expect((await signInBy(visitor, device)).status).toBe(200)
  const counters = () =>
    app.database.sql(`select counter::int from identity.passkey where id = '${id}'`)
  expect(await counters()).toEqual([{ counter: 1 }])
  for (const counter of [1, 0]) {
    await expectRefused(visitor, device.show(await ask(visitor), { counter }))
  }
  const copies = [await ask(visitor), await ask(visitor), await ask(visitor)]
  const answers = await Promise.all(
    copies.map((one) => visitor.call('POST', '/session/passkey', device.show(one, { counter: 9 }))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  expect(await counters()).toEqual([{ counter: 9 }])
})

test('a challenge opens only what it was asked for', async () => {
  const { device, email, ...client } = await clientWithPasskey()
  const visitor = openVisitor(app.url)
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const second = await visitor.call('POST', '/session/passkey/challenge', { second_step: true })
  const stepUp = await ask(client, '/session/step-up/challenge')
  const adding = await ask(client, '/passkeys/challenge')
  const signIn = await ask(client)
  await ageFactors(email)
  const stepUpPath = '/session/step-up/passkey'
  for (const other of [second.body, signIn, adding]) {
    await expectRefused(client, device.show(other), stepUpPath)
  }
  for (const other of [stepUp, adding]) {
    await expectRefused(visitor, device.show({ ...signIn, challenge: other.challenge }))
  }
  expect((await client.call('POST', '/keys', {})).body.detail.error).toBe('code_required')
  // A second step without the password's cookie.
  await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const halfWay = await visitor.call('POST', '/session/passkey/challenge', { second_step: true })
  const bare = openVisitor(app.url)
  expect((await bare.call('POST', '/session/passkey', device.show(halfWay.body))).status).toBe(401)
  expect((await bare.call('GET', '/session')).status).toBe(401)
})

test("another account's passkey is no second step and no step-up", async () => {
  const victim = await clientWithPasskey()
  const thief = await clientWithPasskey()
  const visitor = openVisitor(app.url)
  await visitor.call('POST', '/session/sign-in', { email: victim.email, password: PASSWORD })
  expect((await signInBy(visitor, thief.device, true)).status).toBe(401)
  await ageFactors(victim.email)
  const refused = await stepUpBy(victim, thief.device)
  expect(refused.body.detail.error).toBe('invalid_passkey')
  // Nor does the challenge of one session count in another, of the same person.
  const other = openVisitor(app.url)
  await signInBy(other, victim.device)
  const asked = await ask(other, '/session/step-up/challenge')
  await expectRefused(victim, victim.device.show(asked), '/session/step-up/passkey')
  expect((await victim.call('POST', '/keys', {})).body.detail.error).toBe('code_required')
  expect((await stepUpBy(victim, victim.device)).status).toBe(200)
  expect((await victim.call('POST', '/keys', {})).status).toBe(201)
})

test('a credential that is registered is not registered again, for nobody', async () => {
  const { device, ...client } = await clientWithPasskey()
  const other = await signUp(app.url)
  for (const [visitor, body] of [
    [client, {}],
    [other, { password: PASSWORD }],
  ] as const) {
    const asked = await visitor.call('POST', '/passkeys/challenge', body)
    const made = device.make(asked.body)
    const answer = await visitor.call('POST', '/passkeys', made)
    expect([answer.status, answer.body.detail.error]).toEqual([401, 'invalid_passkey'])
  }
  expect((await other.call('GET', '/passkeys')).body.passkeys).toEqual([])
})

test('a new passkey needs its own challenge, a verified owner and our site', async () => {
  const client = await signUp(app.url)
  const other = await signUp(app.url)
  const wish = { password: PASSWORD }
  const asked = async (of: Visitor) => (await of.call('POST', '/passkeys/challenge', wish)).body
  const lies = [
    { verified: false },
    { origin: 'https://ergon.example' },
    { rpId: 'ergon.example' },
    { type: 'webauthn.get' },
  ]
  for (const lie of lies) {
    await expectRefused(client, openDevice(app.url).make(await asked(client), lie), '/passkeys')
  }
  await expectRefused(client, openDevice(app.url).make(await asked(other)), '/passkeys')
  const device = openDevice(app.url)
  const made = device.make(await asked(client))
  expect((await client.call('POST', '/passkeys', made)).status).toBe(201)
  await expectRefused(client, made, '/passkeys')
})

test('who has only an open session adds no passkey: the password, a code or a passkey is asked', async () => {
  const client = await signUp(app.url)
  for (const body of [{}, { password: 'not the password' }]) {
    const answer = await client.call('POST', '/passkeys/challenge', body)
    expect(answer.body.detail.error).toBe('wrong_password')
  }
  const device = openDevice(app.url)
  await addPasskey(client, device, PASSWORD)
  await ageFactors(client.email)
  for (const [method, path] of [
    ['POST', '/passkeys/challenge'],
    ['POST', '/session/totp'],
  ] as const) {
    const answer = await client.call(method, path, { password: PASSWORD })
    expect([answer.status, answer.body.detail]).toMatchObject([
      403,
      { error: 'code_required', second_step: 'passkey' },
    ])
  }
})

test('backup codes of an app that was never confirmed are no second step', async () => {
  const client = await signUp(app.url)
  const begun = await client.call('POST', '/session/totp', { password: PASSWORD })
  await addPasskey(client, openDevice(app.url), PASSWORD)
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  const thief = openVisitor(app.url)
  const { email } = client
  const first = await thief.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect(first.body).toEqual({ totp_required: true, second_step: ['passkey'] })
  for (const code of [begun.body.backup_codes[0], await otp.totp(), '000000', 'nonsense-code']) {
    const answer = await thief.call('POST', '/session/code', { code })
    expect([answer.status, answer.body.detail.error]).toEqual([401, 'invalid_code'])
  }
})

test('ten passkeys are the most, also when added at once', async () => {
  const client = await signUp(app.url)
  await addPasskey(client, openDevice(app.url), PASSWORD)
  const made = []
  for (let i = 0; i < 12; i += 1) {
    const { body } = await client.call('POST', '/passkeys/challenge', {})
    made.push(openDevice(app.url).make(body))
  }
  const answers = await Promise.all(made.map((one) => client.call('POST', '/passkeys', one)))
  const codes = answers.map(({ status, body }) => body.detail?.error ?? status).sort()
  expect(codes).toEqual([...Array(9).fill(201), ...Array(3).fill('passkey_limit')])
  const more = await client.call('POST', '/passkeys/challenge', {})
  expect(more.body.detail.error).toBe('passkey_limit')
})

test('the sign-in does not tell who has a passkey', async () => {
  const { email } = await clientWithPasskey()
  const visitor = openVisitor(app.url)
  const asked = await ask(visitor)
  expect(asked).toEqual({ challenge: expect.any(String), rp_id: 'localhost', allow: [] })
  const wrong = { email, password: 'not the password' }
  const nobody = { email: 'nobody@example.com', password: 'not the password' }
  const answers = [
    await visitor.call('POST', '/session/sign-in', wrong),
    await visitor.call('POST', '/session/sign-in', nobody),
  ]
  expect(answers[0]!.whole).toBe(answers[1]!.whole)
  // Without the password there is no second step to ask a passkey for.
  const half = await visitor.call('POST', '/session/passkey/challenge', { second_step: true })
  expect([half.status, half.body.detail.error]).toEqual([401, 'invalid_passkey'])
})

/** An operator with an app and a passkey. */
async function operatorWithPasskey(email: string) {
  const operator = await openOperator(app, email)
  const device: Device = openDevice(app.url)
  const { id } = await addPasskey(operator, device)
  return { ...operator, device, id }
}

test("a client's passkey opens nothing at the console, and an operator's nothing at the workspace", async () => {
  const client = await clientWithPasskey()
  const ann = await operatorWithPasskey('ann@example.com')
  const [atTheirs, atOurs] = [atConsole(app.url), openVisitor(app.url)]
  for (const [visitor, device] of [
    [atTheirs, client.device],
    [atOurs, ann.device],
  ] as const) {
    expect((await signInBy(visitor, device)).status).toBe(401)
    expect(visitor.cookies.size).toBe(0)
  }
  // Nor does a challenge of one entrance count at the other.
  await expectRefused(atTheirs, ann.device.show(await ask(atOurs)))
  await expectRefused(atOurs, client.device.show(await ask(atTheirs)))
  const [own] = [...ann.cookies]
  const renamed = openVisitor(app.url)
  renamed.cookies.set(own![0].replace('ergon-operator', 'ergon'), own![1])
  expect((await renamed.call('GET', '/passkeys')).status).toBe(401)
  expect((await renamed.call('POST', '/session/step-up/challenge', {})).status).toBe(401)
  expect((await signInBy(atTheirs, ann.device)).status).toBe(200)
  expect((await signInBy(atOurs, client.device)).status).toBe(200)
})

test('an operator adds, renames and removes a passkey only after a fresh code or passkey', async () => {
  const bob = await operatorWithPasskey('bob@example.com')
  await ageFactors(bob.email)
  for (const [method, path, body] of [
    ['POST', '/passkeys/challenge', {}],
    ['PATCH', `/passkeys/${bob.id}`, { name: 'mine' }],
    ['DELETE', `/passkeys/${bob.id}`, undefined],
  ] as const) {
    const answer = await bob.call(method, path, body)
    expect([answer.status, answer.body.detail]).toMatchObject([
      403,
      { error: 'code_required', second_step: 'either' },
    ])
  }
  expect((await stepUpBy(bob, bob.device)).status).toBe(200)
  expect((await bob.call('DELETE', `/passkeys/${bob.id}`)).status).toBe(204)
  const log = await app.database.sql<{ what: string }>(
    `select what from operator.action where who = 'bob@example.com' order by id`,
  )
  expect(log.map(({ what }) => what)).toEqual(['add_passkey', 'remove_passkey'])
})

test('an operator without any second factor can only read, and adds none', async () => {
  const email = 'bare@example.com'
  await app.console!.sessions.createOperator(email, PASSWORD)
  const bare = atConsole(app.url)
  await bare.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect((await bare.call('GET', '/status')).status).toBe(200)
  for (const path of ['/passkeys/challenge', '/switches/webhooks', '/session/step-up/challenge']) {
    const body = { enabled: true, why: 'a theft' }
    const answer = await bare.call('POST', path, body)
    expect([path, answer.status, answer.body.detail.error]).toEqual([
      path,
      403,
      'second_factor_required',
    ])
  }
})

test('guesses with one passkey are limited like guesses of a password', async () => {
  const own = await openTestApp({ sandbox: false, webUrl: 'http://127.0.0.1:1', mail: 'log' })
  try {
    const call = async (path: string, body: unknown) => {
      const headers = { origin: 'http://127.0.0.1:1' }
      return own.call('POST', `/app/v1${path}`, { body, headers })
    }
    const device = openDevice('http://127.0.0.1:1')
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1) {
      const asked = await call('/session/passkey/challenge', {})
      statuses.push((await call('/session/passkey', device.show(asked.body))).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  } finally {
    await own.close()
  }
})

test('the log has no challenge, no signature and no credential', async () => {
  const { device } = await clientWithPasskey()
  const asked = await ask(openVisitor(app.url))
  const shown = device.show(asked, { tamper: true })
  await expectRefused(openVisitor(app.url), shown)
  for (const secret of [asked.challenge, shown.signature, shown.id, shown.client_data]) {
    expect(logged).not.toContain(secret)
  }
})
