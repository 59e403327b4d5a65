import { type Refusal, refuse } from '@ergon/contract'
import { headersOf, refusalFrom, refusalOf, type Sessions, type Visitor } from './sessions.ts'

export type SessionItem = {
  id: string
  current: boolean
  userAgent: string
  createdAt: Date
  expiresAt: Date
}

export type Security = ReturnType<typeof createSecurity>

/** Sessions, password and second step of a signed-in user. */
export function createSecurity({ library, personOf }: Sessions) {
  /** Calls the library and returns its answer with its cookies, or a refusal. */
  async function attempt<T>(
    call: () => Promise<{ headers: Headers; response: T }>,
  ): Promise<{ answer: T; cookies: string[] } | Refusal> {
    try {
      const { headers, response } = await call()
      return { answer: response, cookies: headers.getSetCookie() }
    } catch (error) {
      return refusalFrom(error)
    }
  }

  async function listOf(visitor: Visitor) {
    const auth = await library()
    const person = await personOf(visitor)
    const sessions = await auth.api.listSessions({ headers: headersOf(visitor) })
    return { auth, sessions, current: person?.sessionId }
  }

  return {
    async list(visitor: Visitor): Promise<SessionItem[]> {
      const { sessions, current } = await listOf(visitor)
      return sessions
        .map(({ id, userAgent, createdAt, expiresAt }) => ({
          id,
          current: id === current,
          userAgent: userAgent ?? '',
          createdAt,
          expiresAt,
        }))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    },

    async revoke(visitor: Visitor, id: string): Promise<Refusal | undefined> {
      const { auth, sessions } = await listOf(visitor)
      const session = sessions.find((one) => one.id === id)
      if (!session) return refuse('session_not_found')
      const { token } = session
      await auth.api.revokeSession({ body: { token }, headers: headersOf(visitor) })
      return undefined
    },

    async changePassword(visitor: Visitor, currentPassword: string, newPassword: string) {
      const auth = await library()
      const body = { currentPassword, newPassword, revokeOtherSessions: true }
      return attempt(() =>
        auth.api.changePassword({ body, headers: headersOf(visitor), returnHeaders: true }),
      )
    },

    async beginTotp(visitor: Visitor, password: string | undefined) {
      const auth = await library()
      const body = password === undefined ? {} : { password }
      return attempt(() =>
        auth.api.enableTwoFactor({ body, headers: headersOf(visitor), returnHeaders: true }),
      )
    },

    async confirmTotp(visitor: Visitor, code: string) {
      const auth = await library()
      // The library would check codes here without counting them.
      if ((await personOf(visitor))?.totpEnabled) return refusalOf('TOTP_ALREADY_ENABLED')
      return attempt(() =>
        auth.api.verifyTOTP({ body: { code }, headers: headersOf(visitor), returnHeaders: true }),
      )
    },

    async removeTotp(visitor: Visitor, password: string | undefined) {
      const auth = await library()
      const body = password === undefined ? {} : { password }
      return attempt(() =>
        auth.api.disableTwoFactor({ body, headers: headersOf(visitor), returnHeaders: true }),
      )
    },
  }
}
