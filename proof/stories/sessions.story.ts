// Proves: identity.
import { createOTP } from '@better-auth/utils/otp'
import { addressOfPrivateKey, signMessageV2, toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'
import { fromBase32, nextCode } from '../testing/otp.ts'
import { until } from '../testing/until.ts'
import { confirmSignUp, openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const KEY = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d'
const WALLET = toBase58(addressOfPrivateKey(KEY))
const countOf = async (table: string) =>
  Number((await app.database.sql<{ n: string }>(`select count(*) n from ${table}`))[0]!.n)

test('somebody signs up, has an account with an address, signs out, and in again', async () => {
  const visitor = await signUp(app.url, 'ada@example.com')
  const me = (await visitor.call('GET', '/session')).body
  expect(me).toMatchObject({ email: 'ada@example.com', totp_enabled: false, sandbox: true })
  expect(me.referral_code).toMatch(/^[A-Z2-9]{10}$/)
  const account = await visitor.call('GET', '/account')
  expect(account.body).toMatchObject({ balance_trx: '0', wallet_address: '' })
  expect(account.body.deposit_address).toMatch(/^T/)
  await visitor.call('POST', '/session/sign-out')
  expect((await visitor.call('GET', '/session')).status).toBe(401)
  const wrong = { email: 'ada@example.com', password: 'not the password' }
  const refused = await visitor.call('POST', '/session/sign-in', wrong)
  expect(refused.body.detail.error).toBe('invalid_login')
  const right = { email: 'ADA@example.com', password: PASSWORD }
  expect((await visitor.call('POST', '/session/sign-in', right)).status).toBe(200)
  expect((await visitor.call('GET', '/session')).body.account_id).toBe(me.account_id)
})

test('the cookie is HttpOnly, SameSite=Lax and for the workspace alone', async () => {
  const visitor = openVisitor(app.url)
  const asked = await visitor.call('POST', '/session/sign-up', { email: 'cookie@example.com' })
  expect(asked.headers.getSetCookie()).toEqual([])
  const answer = await confirmSignUp(visitor, asked.body.link)
  const [cookie] = answer.headers.getSetCookie()
  for (const word of ['HttpOnly', 'SameSite=Lax', 'Path=/app/v1']) expect(cookie).toContain(word)
})

test('the same address twice is one person and one account, also at the same moment', async () => {
  const body = { email: 'twice@example.com' }
  const before = await countOf('identity.account')
  const visitors = [1, 2, 3].map(() => openVisitor(app.url))
  const asked = await Promise.all(visitors.map((v) => v.call('POST', '/session/sign-up', body)))
  const answers = await Promise.all(visitors.map((v, i) => confirmSignUp(v, asked[i]!.body.link)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  expect(await countOf('identity.account')).toBe(before + 1)
  expect(await countOf(`better_auth."user" where "email" = 'twice@example.com'`)).toBe(1)
})

test('a sign-up that broke off after the account finds that account again', async () => {
  const login = { login: 'broken@example.com', name: '', referralCode: '' }
  const account = await app.rooms.accounts.ofLogin(login)
  const visitor = await signUp(app.url, 'broken@example.com')
  expect((await visitor.call('GET', '/session')).body.account_id).toBe(account)
})

test('a referral code is kept with the account that named it', async () => {
  const body = { email: 'sent@example.com', referral_code: 'FRIEND2345' }
  const visitor = openVisitor(app.url)
  await confirmSignUp(visitor, (await visitor.call('POST', '/session/sign-up', body)).body.link)
  const rows = await app.database.sql(
    `select referral_code from identity.sign_up where login = 'sent@example.com'`,
  )
  expect(rows).toEqual([{ referral_code: 'FRIEND2345' }])
})

test('with an authenticator app a password alone is not enough; a code enters once it is right', async () => {
  const visitor = await signUp(app.url)
  const { otp, backupCodes } = await withApp(visitor, { password: PASSWORD })
  expect((await visitor.call('GET', '/session')).body.totp_enabled).toBe(true)

  const again = openVisitor(app.url)
  const login = { email: visitor.email, password: PASSWORD }
  expect((await again.call('POST', '/session/sign-in', login)).body.totp_required).toBe(true)
  expect((await again.call('GET', '/session')).status).toBe(401)
  const wrong = await again.call('POST', '/session/code', { code: '000000' })
  expect(wrong.body.detail.error).toBe('invalid_code')
  const entered = await again.call('POST', '/session/code', { code: await nextCode(otp) })
  expect(entered.status).toBe(200)
  expect((await again.call('GET', '/session')).status).toBe(200)

  const backup = openVisitor(app.url)
  await backup.call('POST', '/session/sign-in', login)
  const code = backupCodes[0]
  expect((await backup.call('POST', '/session/code', { code })).status).toBe(200)
})

test('sessions are listed and end one by one, at once', async () => {
  const desk = await signUp(app.url)
  const phone = openVisitor(app.url)
  await phone.call('POST', '/session/sign-in', { email: desk.email, password: PASSWORD })
  const { sessions } = (await desk.call('GET', '/sessions')).body
  expect(sessions).toHaveLength(2)
  const other = sessions.find((session: { current: boolean }) => !session.current)
  expect((await desk.call('DELETE', `/sessions/${other.id}`)).status).toBe(204)
  expect((await phone.call('GET', '/account')).status).toBe(401)
  expect((await desk.call('GET', '/account')).status).toBe(200)
})

test('a changed password ends the other sessions', async () => {
  const desk = await signUp(app.url)
  const phone = openVisitor(app.url)
  await phone.call('POST', '/session/sign-in', { email: desk.email, password: PASSWORD })
  const wrong = { current_password: 'something else', new_password: 'a new password' }
  const refused = await desk.call('POST', '/session/password', wrong)
  expect(refused.body.detail.error).toBe('wrong_password')
  const right = { current_password: PASSWORD, new_password: 'a new password' }
  expect((await desk.call('POST', '/session/password', right)).status).toBe(200)
  expect((await phone.call('GET', '/account')).status).toBe(401)
  expect((await desk.call('GET', '/account')).status).toBe(200)
})

async function signed(visitor: Visitor, path: string, key = KEY, address = WALLET) {
  const { nonce, message } = (await visitor.call('POST', `${path}/challenge`, { address })).body
  return { nonce, message, signature: signMessageV2(message, key) }
}

test('an unknown wallet gets an account, and the same one the next time', async () => {
  const visitor = openVisitor(app.url)
  const shown = await signed(visitor, '/session/wallet')
  expect(shown.message).toContain(new URL(app.url).host)
  expect((await visitor.call('POST', '/session/wallet', shown)).status).toBe(200)
  const me = (await visitor.call('GET', '/session')).body
  expect(me.email).toBe('')
  expect((await visitor.call('GET', '/account')).body.wallet_address).toBe(WALLET)

  const later = openVisitor(app.url)
  const second = await signed(later, '/session/wallet')
  await later.call('POST', '/session/wallet', second)
  expect((await later.call('GET', '/session')).body.account_id).toBe(me.account_id)
  const refused = await later.call('DELETE', '/wallet')
  expect(refused.body.detail.error).toBe('only_login')
})

test('a signature counts once, in time, from the wallet that was asked, for what was asked', async () => {
  const visitor = openVisitor(app.url)
  const shown = await signed(visitor, '/session/wallet')
  expect((await visitor.call('POST', '/session/wallet', shown)).status).toBe(200)
  const errorOf = async (who: Visitor, path: string, body: unknown) =>
    (await who.call('POST', path, body)).body.detail?.error
  expect(await errorOf(visitor, '/session/wallet', shown)).toBe('invalid_signature')

  const forged = await signed(visitor, '/session/wallet', 'a'.repeat(64))
  expect(await errorOf(visitor, '/session/wallet', forged)).toBe('invalid_signature')

  const late = await signed(visitor, '/session/wallet')
  await app.database.sql(`update identity.wallet_challenge set expires_at = '2020-01-01'`)
  expect(await errorOf(visitor, '/session/wallet', late)).toBe('invalid_signature')

  const somebody = await signUp(app.url)
  const forSignIn = await signed(visitor, '/session/wallet')
  expect(await errorOf(somebody, '/wallet', forSignIn)).toBe('invalid_signature')
  const forAnother = await signed(await signUp(app.url), '/wallet')
  expect(await errorOf(somebody, '/wallet', forAnother)).toBe('invalid_signature')
})

test('a linked wallet signs in to its account, and belongs to one account only', async () => {
  const key = 'b'.repeat(64)
  const address = toBase58(addressOfPrivateKey(key))
  const ada = await signUp(app.url)
  const linked = await ada.call('POST', '/wallet', await signed(ada, '/wallet', key, address))
  expect(linked.body.wallet_address).toBe(address)
  await until('the account shows it', async () => {
    const { body } = await ada.call('GET', '/account')
    return body.wallet_address === address
  })
  const bob = await signUp(app.url)
  const taken = await bob.call('POST', '/wallet', await signed(bob, '/wallet', key, address))
  expect(taken.body.detail.error).toBe('wallet_taken')

  const visitor = openVisitor(app.url)
  await visitor.call(
    'POST',
    '/session/wallet',
    await signed(visitor, '/session/wallet', key, address),
  )
  const me = (await visitor.call('GET', '/session')).body
  expect(me.account_id).toBe((await ada.call('GET', '/session')).body.account_id)
  expect((await ada.call('DELETE', '/wallet')).status).toBe(204)
})

test('a wallet does not get around the authenticator app, linked or alone', async () => {
  const key = 'c'.repeat(64)
  const address = toBase58(addressOfPrivateKey(key))
  const ada = await signUp(app.url)
  await ada.call('POST', '/wallet', await signed(ada, '/wallet', key, address))
  const { otp } = await withApp(ada, { password: PASSWORD })
  const sessionsBefore = await countOf('better_auth."session"')
  const visitor = openVisitor(app.url)
  const shown = await signed(visitor, '/session/wallet', key, address)
  const half = await visitor.call('POST', '/session/wallet', shown)
  expect([half.status, half.body]).toEqual([200, { totp_required: true, second_step: ['code'] }])
  expect((await visitor.call('GET', '/session')).status).toBe(401)
  expect(await countOf('better_auth."session"')).toBe(sessionsBefore)
  const wrong = await visitor.call('POST', '/session/code', { code: '000000' })
  expect(wrong.body.detail.error).toBe('invalid_code')
  await visitor.call('POST', '/session/code', { code: await nextCode(otp) })
  const { account_id } = (await ada.call('GET', '/session')).body
  expect((await visitor.call('GET', '/session')).body.account_id).toBe(account_id)

  const lone = { key: 'd'.repeat(64), address: toBase58(addressOfPrivateKey('d'.repeat(64))) }
  const signIn = async (who: Visitor) =>
    who.call(
      'POST',
      '/session/wallet',
      await signed(who, '/session/wallet', lone.key, lone.address),
    )
  const bob = openVisitor(app.url)
  expect((await signIn(bob)).body).toEqual({ totp_required: false, second_step: [] })
  await withApp(bob, {})
  const again = openVisitor(app.url)
  expect((await signIn(again)).body).toEqual({ totp_required: true, second_step: ['code'] })
  expect((await again.call('GET', '/account')).status).toBe(401)
})

/** Sets up and confirms an authenticator app. */
async function withApp(visitor: Visitor, asked: { password?: string }) {
  const begun = await visitor.call('POST', '/session/totp', asked)
  const otp = createOTP(fromBase32(new URL(begun.body.uri).searchParams.get('secret')!))
  const confirmed = await visitor.call('POST', '/session/totp/confirm', { code: await otp.totp() })
  expect(confirmed.status).toBe(200)
  return { otp, backupCodes: begun.body.backup_codes as string[] }
}
