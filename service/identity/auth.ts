import { betterAuth } from 'better-auth'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { SchemaPool } from '../db/index.ts'
import { assert, type Clock, type Ids, type Log } from '../kernel/index.ts'
import { CODE_PATHS, codeShown } from './codeShown.ts'
import type { Entrance } from './entrance.ts'
import { BY_PASSKEY, passkeyEntry } from './passkeyEntry.ts'

export type AuthOptions = {
  pool: SchemaPool
  ids: Ids
  clock: Clock
  log: Log
  secret: string
  /** Our public URL; with https the cookies are Secure. */
  webUrl: string
  entrance: Entrance
  /** The account of an e-mail address that is signing up. */
  accountOf(email: string): Promise<string | undefined>
  /** False when a code of this step or a later one was used. */
  claimStep(userId: string, step: number): Promise<boolean>
  hasPasskey(userId: string): Promise<boolean>
}

/**
 * better-auth as a library behind our own routes, never as a server. This file is imported with the
 * first session request, because loading it takes half a second.
 */
export function openAuth(options: AuthOptions) {
  const { pool, ids, clock, log, secret, webUrl, entrance, accountOf } = options
  const { path, cookiePrefix, idleSeconds: expiresIn, renewSeconds: updateAge } = entrance
  const secure = webUrl.startsWith('https:')
  const secondStep = twoFactor({ issuer: 'Ergon', allowPasswordless: true })
  return betterAuth({
    ...libraryOptions,
    plugins: [
      passkeyEntry(options),
      secondStep,
      entryBefore(secondStep.hooks.after),
      codeShown(options),
    ],
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
          // A session opened by a code or a passkey, or replacing one after a code has confirmed the app.
          async before(session, context) {
            const codeAt = PROOF_PATHS.has(context?.path ?? '') ? new Date(clock.wallMs()) : null
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
/** Paths that a second factor has been shown at. */
const PROOF_PATHS = new Set([...CODE_PATHS, BY_PASSKEY])

/**
 * A session for a user who authenticated without a password (a wallet). The library requires the second
 * step only after its own sign-ins, so its hooks are run after ours too.
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
    /** When this session last used a code or a passkey, by the wall clock. */
    codeAt: { type: 'date', required: false, input: false },
  },
} as const

const libraryOptions = {
  emailAndPassword: { enabled: true, minPasswordLength: 10, maxPasswordLength: 128 },
  // Tokens are stored as hashes.
  verification: { storeIdentifier: 'hashed' },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  user: {
    additionalFields: {
      role: { type: 'string', required: true, input: false, defaultValue: 'client' },
      operatorRole: { type: 'string', required: false, input: false },
      ergonAccount: { type: 'string', required: false, input: false },
    },
  },
} as const

export type Auth = ReturnType<typeof openAuth>
