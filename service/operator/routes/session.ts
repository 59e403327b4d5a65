import {
  getOperatorSession,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorCode,
  postOperatorSignIn,
  postOperatorSignOut,
  type Refusal,
  Verbatim,
} from '@ergon/contract'
import type { Visitor } from '../../identity/index.ts'
import type { ConsoleDeps } from './deps.ts'

const visitorOf = (headers: { cookie?: string; 'user-agent'?: string }): Visitor => ({
  cookie: headers.cookie,
  userAgent: headers['user-agent'],
})

function entered(result: { totpRequired: boolean; cookies: string[] } | Refusal) {
  if (isRefusal(result)) return result
  const body = JSON.stringify({ totp_required: result.totpRequired })
  return new Verbatim(body, { 'set-cookie': result.cookies })
}

/** For operators who are not signed in yet. */
export function entranceRoutes({ sessions }: ConsoleDeps): HandledRoute[] {
  return [
    handle(postOperatorSignIn, async (_caller, { headers, body }) =>
      entered(await sessions.signIn(visitorOf(headers), body)),
    ),
    handle(postOperatorCode, async (_caller, { headers, body }) =>
      entered(await sessions.confirmCode(visitorOf(headers), body.code)),
    ),
    handle(postOperatorSignOut, async (_caller, { headers }) => {
      const { cookies } = await sessions.signOut(visitorOf(headers))
      return new Verbatim('{}', { 'set-cookie': cookies })
    }),
  ]
}

export function sessionRoutes({ sandbox }: ConsoleDeps): HandledRoute[] {
  return [handle(getOperatorSession, ({ account: email }) => ({ email, sandbox }))]
}
