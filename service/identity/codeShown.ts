import { timingSafeEqual } from 'node:crypto'
import { createOTP } from '@better-auth/utils/otp'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import type { Clock } from '../kernel/index.ts'
import { type Entrance, HALF_WAY } from './entrance.ts'

const APP = '/two-factor/verify-totp'
const BACKUP = '/two-factor/verify-backup-code'

/** The library's paths that check a code. */
export const CODE_PATHS = new Set([APP, BACKUP])

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** The user of the code: signed in, or before the second step. */
async function userOf(ctx: Context): Promise<{ id: string; role?: string } | undefined> {
  const session = await getSessionFromCtx(ctx, { disableRefresh: true })
  if (session) return session.user
  const { internalAdapter, secret, createAuthCookie } = ctx.context
  const challenge = await ctx.getSignedCookie(createAuthCookie(HALF_WAY).name, secret)
  const found = challenge ? await internalAdapter.findVerificationValue(challenge) : undefined
  return (found && (await internalAdapter.findUserById(found.value))) ?? undefined
}

const STEP_MS = 30_000

/** The 30-second step of a code: the current one or a neighbour, as the library allows. The latest, if two match. */
async function stepOf(ctx: Context, userId: string, code: string, now: number) {
  const where = [{ field: 'userId', value: userId }]
  const app = await ctx.context.adapter.findOne<{ secret: string }>({ model: 'twoFactor', where })
  if (!app) return undefined
  const otp = createOTP(await symmetricDecrypt({ key: ctx.context.secretConfig, data: app.secret }))
  const middle = Math.floor(now / STEP_MS)
  const steps = [middle - 1, middle, middle + 1]
  const codes = await Promise.all(steps.map(otp.hotp))
  return steps.findLast((_step, place) => isSame(codes[place]!, code))
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

type Options = {
  entrance: Entrance
  clock: Clock
  /** False when a code of this step or a later one was used. */
  claimStep(userId: string, step: number): Promise<boolean>
}

/**
 * Our checks of a code, before the library's. Workspace and console sign cookies with one secret, and the
 * signature does not cover a cookie's name, so a cookie of the other side is refused by its role. A code
 * works once; the library would accept it again for a minute and a half.
 */
export const codeShown = ({ entrance: { role }, clock, claimStep }: Options) => ({
  id: 'ergon-code-shown',
  hooks: {
    before: [
      {
        matcher: ({ path }: { path?: string }) => CODE_PATHS.has(path ?? ''),
        handler: createAuthMiddleware(async (ctx) => {
          const user = await userOf(ctx)
          if (user?.role !== role) {
            throw new APIError('UNAUTHORIZED', { code: 'INVALID_TWO_FACTOR_COOKIE' })
          }
          if (ctx.path === BACKUP) {
            // Codes of an app that no code has confirmed open nothing, also for who has a passkey.
            const where = [{ field: 'userId', value: user.id }]
            const app = await ctx.context.adapter.findOne<{ verified: boolean | null }>({
              model: 'twoFactor',
              where,
            })
            if (app && app.verified !== false) return undefined
            throw new APIError('UNAUTHORIZED', { code: 'INVALID_BACKUP_CODE' })
          }
          const step = await stepOf(ctx, user.id, ctx.body.code, clock.wallMs())
          if (step !== undefined && (await claimStep(user.id, step))) return undefined
          // Pass an empty code, which is wrong, so that the library counts a failure.
          return { context: { body: { ...ctx.body, code: '' } } }
        }),
      },
    ],
  },
})
