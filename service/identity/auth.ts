import { betterAuth } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { SchemaPool } from '../db/index.ts'
import { assert, type Clock, type Ids, type Log } from '../kernel/index.ts'
import { CODE_PATHS, codeShown } from './codeShown.ts'
import type { Entrance } from './entrance.ts'

export type AuthOptions = {
  pool: SchemaPool
  ids: Ids
  clock: Clock
  log: Log
  secret: string
  /** Where browsers find us; cookies are Secure when it is https. */
  webUrl: string
  entrance: Entrance
  /** The account of an e-mail address that is signing up; undefined is nobody's. */
  accountOf(email: string): Promise<string | undefined>
  /** False when a code of this step or of a later one was taken. */
  claimStep(userId: string, step: number): Promise<boolean>
}

/**
 * better-auth as we use it: as a library behind our own routes, never as a server of its own. This
 * file is imported when the first session is asked for, because loading it takes half a second.
 */
export function openAuth(options: AuthOptions) {
  const { pool, ids, clock, log, secret, webUrl, entrance, accountOf } = options
  const { path, cookiePrefix, idleSeconds: expiresIn, renewSeconds: updateAge } = entrance
  const secure = webUrl.startsWith('https:')
  const secondStep = twoFactor({ issuer: 'Ergon', allowPasswordless: true })
  return betterAuth({
    ...libraryOptions,
    plugins: [secondStep, entryBefore(secondStep.hooks.after), codeShown(options)],
    appName: 'Ergon',
    baseURL: webUrl,
    secret,
    session: { ...SESSION, expiresIn, updateAge },
    database: pool,
    advanced: {
      cookiePrefix,
      useSecureCookies: secure,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path, secure },
      database: { generateId: () => ids.next() },
    },
    logger: {
      level: 'error',
      log: (_level, message) => log.warn('better_auth', { reason: message }),
    },
    databaseHooks: {
      session: {
        create: {
          // One that a code has opened, or that takes over when a code has confirmed the app.
          async before(session, context) {
            const codeAt = CODE_PATHS.has(context?.path ?? '') ? new Date(clock.wallMs()) : null
            return { data: { ...session, codeAt } }
          },
        },
      },
      user: {
        create: {
          async before(user) {
            if (user.role === 'operator') return { data: user }
            const ergonAccount = await accountOf(user.email)
            assert(ergonAccount, 'a person signs up for an account that is there')
            return { data: { ...user, role: 'client', ergonAccount } }
          },
        },
      },
    },
  })
}

type Hooks = ReturnType<typeof twoFactor>['hooks']['after']
const ENTRY = '/ergon/enter'

/**
 * A session for somebody who has shown who they are by other means than a password. The library asks
 * for the second step after its own ways in only; its hooks are run after ours as well.
 */
const entryBefore = (hooks: Hooks) => ({
  id: 'ergon-entry',
  hooks: {
    after: hooks.map(({ handler }) => ({
      matcher: ({ path }: { path?: string }) => path === ENTRY,
      handler,
    })),
  },
  endpoints: {
    enterAs: createAuthEndpoint(
      ENTRY,
      {
        method: 'POST',
        metadata: { SERVER_ONLY: true, $Infer: { body: {} as { userId: string } } },
      },
      async (ctx) => {
        const { userId } = ctx.body
        const user = await ctx.context.internalAdapter.findUserById(userId)
        assert(user, 'only somebody who exists can enter')
        const session = await ctx.context.internalAdapter.createSession(userId, false)
        await setSessionCookie(ctx, { session, user })
        return ctx.json({})
      },
    ),
  },
})

const SESSION = {
  additionalFields: {
    /** When this session last showed a code, by the wall clock. */
    codeAt: { type: 'date', required: false, input: false },
  },
} as const

const libraryOptions = {
  emailAndPassword: { enabled: true, minPasswordLength: 10, maxPasswordLength: 128 },
  // What opens a door is kept as its hash only.
  verification: { storeIdentifier: 'hashed' },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  user: {
    additionalFields: {
      role: { type: 'string', required: true, input: false, defaultValue: 'client' },
      ergonAccount: { type: 'string', required: false, input: false },
    },
  },
} as const

export type Auth = ReturnType<typeof openAuth>
