import {
  deleteKey,
  deleteSession,
  deleteWallet,
  getKeys,
  getSession,
  getSessions,
  type HandledRoute,
  handle,
  isRefusal,
  patchKey,
  postForgotten,
  postKey,
  postPassword,
  postReset,
  postSignIn,
  postSignInCode,
  postSignOut,
  postSignUp,
  postSignUpConfirmation,
  postStepUp,
  postTotp,
  postTotpConfirmation,
  postTotpRemoval,
  postWallet,
  postWalletChallenge,
  postWalletSignIn,
  postWalletSignInChallenge,
  type Refusal,
  refuse,
  refuseFor,
} from '@ergon/contract'
import { assert, isUuid } from '../kernel/index.ts'
import type { KeyRow } from './accounts.sql.ts'
import type { Accounts } from './accounts.ts'
import { passkeyRoutes, passkeySignInRoute } from './passkeyRoutes.ts'
import type { Passkeys } from './passkeys.ts'
import type { PasswordReset } from './passwordReset.ts'
import { enteredReply, type Guesses, visitorOf, withCookies } from './replies.ts'
import { type SecondFactor, withSecondFactor } from './secondFactor.ts'
import type { Security } from './security.ts'
import type { Sessions } from './sessions.ts'
import type { SignUp } from './signUp.ts'
import type { Terms } from './terms.ts'
import { saidIn, termsRoutes } from './termsRoutes.ts'
import type { Challenge, WalletLogin } from './walletLogin.ts'

/** Most keys per account. */
const KEYS_MAX = 50

function challengeReply(challenge: Challenge | Refusal) {
  if (isRefusal(challenge)) return challenge
  const { nonce, message, expiresAt } = challenge
  return { nonce, message, expires_at: expiresAt.toISOString() }
}

/** Routes without a session. */
export function signInRoutes(deps: {
  sessions: Sessions
  walletLogin: WalletLogin
  passwordReset: PasswordReset
  signUp: SignUp
  passkeys: Passkeys
  guesses: Guesses
}) {
  const { sessions, walletLogin, passwordReset, signUp, guesses } = deps
  const routes: HandledRoute[] = [
    passkeySignInRoute(deps),
    handle(postSignUp, (_caller, { body }) => {
      const { email, name = '', referral_code: referralCode = '' } = body
      return signUp.ask({ email, name, referralCode, said: saidIn(body) })
    }),
    handle(postSignUpConfirmation, async (_caller, { headers, body }) =>
      enteredReply(await signUp.confirm(visitorOf(headers), body.token, body.password)),
    ),
    handle(postSignIn, async ({ address }, { headers, body }) => {
      const wait = guesses.count(body.email, address)
      if (wait !== undefined) return refuseFor(wait)
      const entered = await sessions.signIn(visitorOf(headers), body)
      if (!isRefusal(entered)) guesses.forget(body.email, address)
      return enteredReply(entered)
    }),
    handle(postSignInCode, async (_caller, { headers, body }) =>
      enteredReply(await sessions.confirmCode(visitorOf(headers), body.code)),
    ),
    handle(postForgotten, (_caller, { body }) => {
      passwordReset.ask(body.email)
      return { letters: passwordReset.letters }
    }),
    handle(postReset, async (_caller, { body }) => {
      const refusal = await passwordReset.set(body.token, body.new_password)
      return refusal ?? {}
    }),
    handle(postWalletSignInChallenge, async (_caller, { body }) =>
      challengeReply(await walletLogin.challengeToSignIn(body.address)),
    ),
    handle(postWalletSignIn, async (_caller, { headers, body }) => {
      const { nonce, signature, referral_code: referralCode = '' } = body
      const shown = { nonce, signature, referralCode, said: saidIn(body) }
      return enteredReply(await walletLogin.signIn(visitorOf(headers), shown))
    }),
    handle(postSignOut, async (_caller, { headers }) => {
      const { cookies } = await sessions.signOut(visitorOf(headers))
      return withCookies({}, cookies)
    }),
  ]
  return routes
}

type Deps = {
  terms: Terms
  accounts: Accounts
  sessions: Sessions
  security: Security
  secondFactor: SecondFactor
  walletLogin: WalletLogin
  passkeys: Passkeys
  sandbox: boolean
}

/** Routes with a session. */
export function sessionRoutes(deps: Deps): HandledRoute[] {
  const routes = [
    personRoutes,
    termsRoutes,
    totpRoutes,
    passkeyRoutes,
    walletRoutes,
    keyRoutes,
  ].flatMap((of) => of(deps))
  return withSecondFactor(routes, deps.secondFactor)
}

function personRoutes({ accounts, sessions, security, sandbox }: Deps): HandledRoute[] {
  return [
    handle(getSession, async ({ account }, { headers }) => {
      const [person, profile] = await Promise.all([
        sessions.personOf(visitorOf(headers)),
        accounts.profileOf(account),
      ])
      // Another tab signed out between the guard and here.
      if (!person) return refuse('session_required')
      assert(profile, `account ${account} exists`)
      return {
        account_id: account,
        email: person.email,
        name: profile.name,
        totp_enabled: person.totpEnabled,
        passkeys: await sessions.passkeysOf(person.userId),
        referral_code: profile.referralCode,
        sandbox,
      }
    }),
    handle(getSessions, async (_caller, { headers }) => {
      const sessions = await security.list(visitorOf(headers))
      return {
        sessions: sessions.map((session) => ({
          id: session.id,
          current: session.current,
          user_agent: session.userAgent,
          created_at: session.createdAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
        })),
      }
    }),
    handle(deleteSession, async (_caller, { headers, params }) => {
      const refusal = await security.revoke(visitorOf(headers), params.id)
      return refusal ?? null
    }),
    handle(postPassword, async (_caller, { headers, body }) => {
      const { current_password, new_password } = body
      const visitor = visitorOf(headers)
      const done = await security.changePassword(visitor, current_password, new_password)
      return isRefusal(done) ? done : withCookies({}, done.cookies)
    }),
  ]
}

function totpRoutes({ security, secondFactor }: Deps): HandledRoute[] {
  return [
    handle(postStepUp, async (_caller, { headers, body }) => {
      const refusal = await secondFactor.stepUp(visitorOf(headers), body.code)
      return refusal ?? {}
    }),
    handle(postTotp, async (_caller, { headers, body }) => {
      const begun = await security.beginTotp(visitorOf(headers), body.password)
      if (isRefusal(begun)) return begun
      const { answer } = begun
      assert(answer.method === 'totp', 'an app was asked for')
      return { uri: answer.totpURI, backup_codes: answer.backupCodes }
    }),
    handle(postTotpConfirmation, async (_caller, { headers, body }) => {
      const done = await security.confirmTotp(visitorOf(headers), body.code)
      return isRefusal(done) ? done : withCookies({}, done.cookies)
    }),
    handle(postTotpRemoval, async (_caller, { headers, body }) => {
      const done = await security.removeTotp(visitorOf(headers), body.password)
      return isRefusal(done) ? done : withCookies({}, done.cookies)
    }),
  ]
}

function walletRoutes({ walletLogin }: Deps): HandledRoute[] {
  return [
    handle(postWalletChallenge, async ({ account }, { body }) =>
      challengeReply(await walletLogin.challengeToLink(account, body.address)),
    ),
    handle(postWallet, async ({ account }, { body }) => {
      const linked = await walletLogin.link(account, body)
      return isRefusal(linked) ? linked : { wallet_address: linked }
    }),
    handle(deleteWallet, async ({ account }, { headers }) => {
      const refusal = await walletLogin.unlink(visitorOf(headers), account)
      return refusal ?? null
    }),
  ]
}

function keyRoutes({ accounts }: Deps): HandledRoute[] {
  const keyReply = (key: KeyRow) => ({
    id: key.id,
    name: key.name,
    note: key.note,
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  })
  return [
    handle(getKeys, async ({ account }) => ({
      keys: (await accounts.keysOf(account)).map(keyReply),
    })),
    handle(postKey, async ({ account }, { body }) => {
      const before = await accounts.keysOf(account)
      if (before.length >= KEYS_MAX) {
        const message = `${KEYS_MAX} keys are the most. Revoke one that is not used.`
        return refuse('key_limit', { message })
      }
      const { keyId, apiKey } = await accounts.createKey(account, body)
      const made = (await accounts.keysOf(account)).find(({ id }) => id === keyId)
      assert(made, 'the key has just been made')
      return { ...keyReply(made), api_key: apiKey }
    }),
    handle(patchKey, async ({ account }, { params: { id }, body }) => {
      const changed = isUuid(id) && (await accounts.describeKey(account, id, body))
      return changed ? keyReply(changed) : refuse('key_not_found')
    }),
    handle(deleteKey, async ({ account }, { params: { id } }) => {
      const revoked = isUuid(id) && (await accounts.revokeKey(account, id))
      return revoked ? null : refuse('key_not_found')
    }),
  ]
}
