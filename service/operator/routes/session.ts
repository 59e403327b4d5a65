import {
  getOperatorSession,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorCode,
  postOperatorPassword,
  postOperatorSignIn,
  postOperatorSignOut,
  postOperatorStepUp,
  type Refusal,
  refuse,
  refuseFor,
  Verbatim,
} from '@ergon/contract'
import { createSecurity, enteredReply, visitorOf, withCookies } from '../../identity/index.ts'
import { changesOf } from '../permissions.ts'
import type { ConsoleDeps } from './deps.ts'
import { passkeySignInRoute } from './passkeys.ts'
import { acceptanceRoute } from './team.ts'

/** Sign-in routes of operators. */
export function entranceRoutes(deps: ConsoleDeps): HandledRoute[] {
  const { sessions, guesses } = deps
  return [
    acceptanceRoute(deps),
    passkeySignInRoute(deps),
    handle(postOperatorSignIn, async ({ address }, { headers, body }) => {
      const wait = guesses.count(body.email, address)
      if (wait !== undefined) return refuseFor(wait)
      const result = await sessions.signIn(visitorOf(headers), body)
      if (!isRefusal(result)) guesses.forget(body.email, address)
      return enteredReply(result)
    }),
    handle(postOperatorCode, async (_caller, { headers, body }) =>
      enteredReply(await sessions.confirmCode(visitorOf(headers), body.code)),
    ),
    handle(postOperatorSignOut, async (_caller, { headers }) => {
      const { cookies } = await sessions.signOut(visitorOf(headers))
      return new Verbatim('{}', { 'set-cookie': cookies })
    }),
  ]
}

export function sessionRoutes({
  sessions,
  secondFactor,
  roles,
  sandbox,
  operator,
}: ConsoleDeps): HandledRoute[] {
  const security = createSecurity(sessions)
  /** Logs changes of an operator's own sign-in like any action. */
  const own = (
    who: string,
    what: string,
    work: () => Promise<{ cookies: string[] } | Refusal>,
  ): Promise<Verbatim | Refusal> =>
    operator.actions.perform({ who, what, subject: who, why: 'their own sign-in' }, async () => {
      const done = await work()
      return isRefusal(done) ? done : { reply: withCookies({}, done.cookies), change: {} }
    })
  return [
    handle(getOperatorSession, async ({ account: email }, { headers }) => {
      const person = await sessions.personOf(visitorOf(headers))
      // Another tab signed out between the guard and here.
      if (!person) return refuse('session_required')
      const role = await roles.roleOf(email)
      if (!role) return refuse('session_required')
      const passkeys = await sessions.passkeysOf(person.userId)
      const own = { email, totp_enabled: person.totpEnabled, passkeys }
      return { ...own, role, may: changesOf(role), sandbox }
    }),
    handle(postOperatorStepUp, async (_caller, { headers, body }) => {
      const refusal = await secondFactor.stepUp(visitorOf(headers), body.code)
      return refusal ?? {}
    }),
    handle(postOperatorPassword, ({ account }, { headers, body }) =>
      own(account, 'password', () =>
        security.changePassword(visitorOf(headers), body.current_password, body.new_password),
      ),
    ),
  ]
}
