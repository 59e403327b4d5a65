// Proves: identity.
import { createOTP } from '@better-auth/utils/otp'
import { addressOfPrivateKey, signMessageV2, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { atConsole, openOperator } from '../testing/operator.ts'
import { fromBase32, nextCode } from '../testing/otp.ts'
import { addPasskey, openDevice, signInBy, stepUpBy } from '../testing/passkey.ts'
import { accountOf, openVisitor, PASSWORD, signUp } from '../testing/visitor.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ mail: 'log' })
})
afterAll(() => app.close())

const ageFactors = (email: string) =>
  app.database.sql(`update better_auth.session set "codeAt" = "codeAt" - interval '1 hour'
     where "userId" = (select id from better_auth."user" where email = '${email}')`)
const lettersTo = async (email: string) =>
  (
    await app.database.sql<{ subject: string }>(
      `select subject from mail.letter where recipient = '${email}' order by id`,
    )
  ).map(({ subject }) => subject)

test('a client adds a passkey, signs in with it alone, renames and removes it', async () => {
  const client = await signUp(app.url)
  await app.rooms.mail.loop.stop()
  const device = openDevice(app.url)
  const { id } = await addPasskey(client, device, PASSWORD)
  expect((await client.call('GET', '/session')).body).toMatchObject({
    totp_enabled: false,
    passkeys: 1,
  })
  const browser = openVisitor(app.url)
  const entered = await signInBy(browser, device)
  expect([entered.status, entered.body]).toEqual([200, { totp_required: false, second_step: [] }])
  // A passkey is both factors: nothing more is asked for before a key.
  expect((await browser.call('POST', '/keys', {})).status).toBe(201)
  const [own] = (await browser.call('GET', '/passkeys')).body.passkeys
  expect(own).toMatchObject({ id, name: 'A key in software', synced: false })
  expect(Date.parse(own.last_used_at)).toBeGreaterThanOrEqual(Date.parse(own.created_at))
  const renamed = await browser.call('PATCH', `/passkeys/${id}`, { name: ' My phone ' })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'My phone'])
  const empty = await browser.call('PATCH', `/passkeys/${id}`, { name: '  ' })
  expect(empty.status).toBe(422)

  expect((await browser.call('DELETE', `/passkeys/${id}`)).status).toBe(204)
  // All other sessions end with it; this one goes on.
  expect((await browser.call('GET', '/session')).body.passkeys).toBe(0)
  expect((await client.call('GET', '/session')).status).toBe(401)
  expect((await signInBy(openVisitor(app.url), device)).status).toBe(401)
  // Its password alone signs in again.
  const again = openVisitor(app.url)
  const { email } = client
  const answer = await again.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect(answer.body).toEqual({ totp_required: false, second_step: [] })
  expect(await lettersTo(email)).toEqual([
    'A passkey was added at Ergon',
    'A passkey was removed at Ergon',
  ])
})

test('a passkey is the second step after the password, and shown again before keys change', async () => {
  const client = await signUp(app.url)
  const device = openDevice(app.url)
  await addPasskey(client, device, PASSWORD)
  const { email } = client
  const visitor = openVisitor(app.url)
  const first = await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect(first.body).toEqual({ totp_required: true, second_step: ['passkey'] })
  expect((await visitor.call('GET', '/session')).status).toBe(401)
  expect((await signInBy(visitor, device, true)).status).toBe(200)
  expect((await visitor.call('POST', '/keys', {})).status).toBe(201)
  await ageFactors(email)
  const refused = await visitor.call('POST', '/keys', {})
  expect([refused.status, refused.body.detail]).toMatchObject([
    403,
    { error: 'code_required', second_step: 'passkey' },
  ])
  expect((await stepUpBy(visitor, device)).status).toBe(200)
  expect((await visitor.call('POST', '/keys', {})).status).toBe(201)
})

test('who has an app as well chooses; without the passkey the code is enough', async () => {
  const client = await signUp(app.url)
  const device = openDevice(app.url)
  await addPasskey(client, device, PASSWORD)
  const begun = await client.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  expect(
    (await client.call('POST', '/session/totp/confirm', { code: await otp.totp() })).status,
  ).toBe(200)
  const { email } = client
  for (const way of ['code', 'passkey']) {
    const visitor = openVisitor(app.url)
    const first = await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
    expect(first.body).toEqual({ totp_required: true, second_step: ['code', 'passkey'] })
    const second =
      way === 'code'
        ? await visitor.call('POST', '/session/code', { code: await nextCode(otp) })
        : await signInBy(visitor, device, true)
    expect([way, second.status]).toEqual([way, 200])
  }
  await ageFactors(email)
  const asked = await client.call('POST', '/keys', {})
  expect(asked.body.detail.second_step).toBe('either')
})

test("a wallet's owner adds a passkey too, and it follows the wallet's signature", async () => {
  const key = 'd'.repeat(64)
  const address = toBase58(addressOfPrivateKey(key))
  const byWallet = async () => {
    const visitor = openVisitor(app.url)
    const asked = await visitor.call('POST', '/session/wallet/challenge', { address })
    const { nonce, message } = asked.body
    const signature = signMessageV2(message, key)
    return { visitor, answer: await visitor.call('POST', '/session/wallet', { nonce, signature }) }
  }
  const { visitor } = await byWallet()
  const device = openDevice(app.url)
  await addPasskey(visitor, device)
  const again = await byWallet()
  expect(again.answer.body).toEqual({ totp_required: true, second_step: ['passkey'] })
  expect((await signInBy(again.visitor, device, true)).status).toBe(200)
  expect((await signInBy(openVisitor(app.url), device)).status).toBe(200)
})

test('a new password keeps the passkeys; a blocked client signs in and reads why, as with a password', async () => {
  const client = await signUp(app.url)
  const device = openDevice(app.url)
  await addPasskey(client, device, PASSWORD)
  await client.call('POST', '/session/password', {
    current_password: PASSWORD,
    new_password: 'another horse battery',
  })
  const visitor = openVisitor(app.url)
  expect((await signInBy(visitor, device)).status).toBe(200)
  const { account_id } = await accountOf(app, visitor)
  const ann = await openOperator(app, 'ann@example.com')
  const block = { reason: 'A question.', why: 'a test' }
  expect((await ann.call('POST', `/accounts/${account_id}/block`, block)).status).toBe(200)
  const later = openVisitor(app.url)
  expect((await signInBy(later, device)).status).toBe(200)
  const blocked = (await later.call('GET', '/account')).body.blocked
  expect(blocked).toMatchObject({ reason: 'A question.' })
})

test('an operator signs in with a passkey, with it after the password, and steps up with it', async () => {
  const bob = await openOperator(app, 'bob@example.com')
  const device = openDevice(app.url)
  await addPasskey(bob, device)
  const turn = (of: typeof bob | ReturnType<typeof atConsole>) =>
    of.call('POST', '/switches/webhooks', { enabled: true, why: 'a test' })
  const alone = atConsole(app.url)
  expect((await signInBy(alone, device)).status).toBe(200)
  expect((await turn(alone)).status).toBe(200)
  const after = atConsole(app.url)
  const { email } = bob
  const first = await after.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect(first.body).toEqual({ totp_required: true, second_step: ['code', 'passkey'] })
  expect((await signInBy(after, device, true)).status).toBe(200)
  await ageFactors(email)
  expect((await turn(after)).body.detail).toMatchObject({
    error: 'code_required',
    second_step: 'either',
  })
  expect((await stepUpBy(after, device)).status).toBe(200)
  expect((await turn(after)).status).toBe(200)
  expect((await after.call('GET', '/session')).body).toMatchObject({
    totp_enabled: true,
    passkeys: 1,
  })
})
