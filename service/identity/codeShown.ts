import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { type Entrance, HALF_WAY } from './entrance.ts'

const APP = '/two-factor/verify-totp'
const BACKUP = '/two-factor/verify-backup-code'

/** Where the library looks at a code. */
export const CODE_PATHS = new Set([APP, BACKUP])

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** Whose code it is: of somebody signed in, or half way. */
async function userOf(ctx: Context): Promise<{ id: string; role?: string } | undefined> {
  const session = await getSessionFromCtx(ctx, { disableRefresh: true })
  if (session) return session.user
  const { internalAdapter, secret, createAuthCookie } = ctx.context
  const challenge = await ctx.getSignedCookie(createAuthCookie(HALF_WAY).name, secret)
  const found = challenge ? await internalAdapter.findVerificationValue(challenge) : undefined
  return (found && (await internalAdapter.findUserById(found.value))) ?? undefined
}

/**
 * Our rules for codes, before the library looks at one. Both entrances sign cookies with one secret, and the
 * signature does not cover a cookie's name: a cookie of the other entrance is refused here by its role.
 */
export const codeShown = ({ role }: Entrance) => ({
  id: 'ergon-code-shown',
  hooks: {
    before: [
      {
        matcher: ({ path }: { path?: string }) => CODE_PATHS.has(path ?? ''),
        handler: createAuthMiddleware(async (ctx) => {
          const user = await userOf(ctx)
          if (user?.role === role) return
          throw new APIError('UNAUTHORIZED', { code: 'INVALID_TWO_FACTOR_COOKIE' })
        }),
      },
    ],
  },
})
