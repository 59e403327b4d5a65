import { APIError, createAuthEndpoint, createAuthMiddleware } from 'better-auth/api'
import { expireCookie, setSessionCookie } from 'better-auth/cookies'
import { type Entrance, HALF_WAY } from './entrance.ts'

/** A session opened by a passkey. */
export const BY_PASSKEY = '/ergon/enter-by-passkey'
/** Ways to sign in that a second step follows. */
const FIRST_STEPS = new Set(['/sign-in/email', '/ergon/enter'])

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** The cookie of a sign-in that lacks its second step, and whose it is. */
async function halfWayOf(ctx: Context, { role }: Entrance) {
  const { internalAdapter, secret, createAuthCookie } = ctx.context
  const cookie = createAuthCookie(HALF_WAY)
  const identifier = await ctx.getSignedCookie(cookie.name, secret)
  const found = identifier ? await internalAdapter.findVerificationValue(identifier) : undefined
  const user = found && (await internalAdapter.findUserById(found.value))
  // One secret signs the cookies of both entrances.
  if (!identifier || (user as { role?: string } | null | undefined)?.role !== role) return undefined
  return { cookie, identifier, userId: user!.id }
}

/**
 * Passkeys as a way in, for better-auth. It comes before the library's second step, which asks those who have an
 * app: who has a passkey and no app is asked too. Passkeys are checked by passkeys.ts; here they only enter.
 */
export const passkeyEntry = (options: {
  entrance: Entrance
  hasPasskey(userId: string): Promise<boolean>
}) => ({
  id: 'ergon-passkeys',
  hooks: {
    after: [
      {
        matcher: ({ path }: { path?: string }) => FIRST_STEPS.has(path ?? ''),
        handler: createAuthMiddleware(async (ctx) => {
          const user = ctx.context.newSession?.user as
            | { id: string; twoFactorEnabled?: boolean }
            | undefined
          if (!user || user.twoFactorEnabled) return
          // Of this answer alone: in the database it says that there is an app.
          if (await options.hasPasskey(user.id)) user.twoFactorEnabled = true
        }),
      },
    ],
  },
  endpoints: {
    halfWay: createAuthEndpoint(
      '/ergon/half-way',
      { method: 'POST', metadata: { SERVER_ONLY: true } },
      async (ctx) => ctx.json({ userId: (await halfWayOf(ctx, options.entrance))?.userId }),
    ),
    enterByPasskey: createAuthEndpoint(
      BY_PASSKEY,
      {
        method: 'POST',
        metadata: {
          SERVER_ONLY: true,
          $Infer: { body: {} as { userId: string; afterPassword: boolean } },
        },
      },
      async (ctx) => {
        const { userId, afterPassword } = ctx.body
        const { internalAdapter } = ctx.context
        const over = new APIError('UNAUTHORIZED', { code: 'INVALID_TWO_FACTOR_COOKIE' })
        if (afterPassword) {
          const first = await halfWayOf(ctx, options.entrance)
          if (first?.userId !== userId) throw over
          // Of two second steps at once, one gets in.
          if (!(await internalAdapter.consumeVerificationValue(first.identifier))) throw over
          expireCookie(ctx, first.cookie)
        }
        const user = await internalAdapter.findUserById(userId)
        if ((user as { role?: string } | null)?.role !== options.entrance.role) throw over
        const session = await internalAdapter.createSession(userId, false)
        await setSessionCookie(ctx, { session, user: user! })
        return ctx.json({})
      },
    ),
  },
})
