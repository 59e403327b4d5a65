// Proves: identity.
import { createOTP } from '@better-auth/utils/otp'
import { workspaceRoutes } from '@ergon/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { fromBase32, nextCode } from '../testing/otp.ts'
import { PASSWORD, signUp } from '../testing/visitor.ts'

// A stolen session of a client with an authenticator app creates no key and changes no wallet.

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const ID = '01a1dd1e-0000-7000-8000-000000000000'
const guarded = workspaceRoutes.filter(({ secondFactor }) => secondFactor === 'if_set_up')
const BODY = {
  nonce: 'n',
  signature: 's',
  password: PASSWORD,
  code: '000000',
  name: 'a phone',
  id: 'AAAA',
  client_data: 'AAAA',
  attestation: 'AAAA',
}

test('keys, wallets, passkeys and the app itself are what a code is asked for', () => {
  expect(guarded.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'DELETE /keys/{id}',
    'DELETE /passkeys/{id}',
    'DELETE /wallet',
    'POST /keys',
    'POST /passkeys',
    'POST /passkeys/challenge',
    'POST /session/totp',
    'POST /session/totp/confirm',
    'POST /session/totp/remove',
    'POST /wallet',
  ])
})

test('who has no app is asked for nothing', async () => {
  const client = await signUp(app.url)
  expect((await client.call('POST', '/keys', {})).status).toBe(201)
  const shown = await client.call('POST', '/session/step-up', { code: '123456' })
  expect(shown.body.detail.error).toBe('second_factor_required')
})

test('the code that has confirmed an app does not sign in as well; the next one does', async () => {
  const client = await signUp(app.url)
  const { email } = client
  const begun = await client.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  const code = await otp.totp()
  expect((await client.call('POST', '/session/totp/confirm', { code })).status).toBe(200)
  await client.call('POST', '/session/sign-out')
  await client.call('POST', '/session/sign-in', { email, password: PASSWORD })
  expect((await client.call('POST', '/session/code', { code })).status).toBe(401)
  const next = await nextCode(otp)
  expect((await client.call('POST', '/session/code', { code: next })).status).toBe(200)
})

test('a session whose last code is old changes neither keys nor wallets until one is shown', async () => {
  const client = await signUp(app.url)
  const begun = await client.call('POST', '/session/totp', { password: PASSWORD })
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  await client.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  expect((await client.call('POST', '/keys', {})).status).toBe(201)
  await app.database.sql(
    `update better_auth.session set "codeAt" = "codeAt" - interval '10 minutes'`,
  )
  for (const { method, path } of guarded) {
    const body = method === 'POST' ? BODY : undefined
    const answer = await client.call(method, path.replace('{id}', ID), body)
    expect([path, answer.status, answer.body.detail?.error]).toEqual([path, 403, 'code_required'])
  }
  expect((await client.call('GET', '/keys')).body.keys).toHaveLength(1)
  const [backup] = begun.body.backup_codes
  expect((await client.call('POST', '/session/step-up', { code: backup })).status).toBe(200)
  expect((await client.call('POST', '/keys', {})).status).toBe(201)
  const again = await client.call('POST', '/session/step-up', { code: backup })
  expect(again.body.detail.error).toBe('invalid_code')
})
