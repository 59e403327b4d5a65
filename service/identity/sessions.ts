import { isRefusal, type Refusal, type RefusalCode, type Role, refuse } from '@ergon/contract'
import type { Db, SchemaPool } from '../db/index.ts'
import { assert, type Log, type Runtime } from '../kernel/index.ts'
import { type Accounts, WALLET_MAIL } from './accounts.ts'
import type { Auth } from './auth.ts'
import { ENTRANCES, halfWayOnly } from './entrance.ts'
import { countPasskeys } from './passkeys.sql.ts'
import { claimStep, insertSecret, readSecret, takeCodesAgain } from './sessions.sql.ts'
import { setUpApp } from './setUpApp.ts'
import { findSignUp } from './store.ts'
import type { Accepted } from './termsText.ts'

/** Headers of a browser's request. */
export type Visitor = {
  cookie?: string | undefined
  userAgent?: string | undefined
  /** An automatic call, which does not extend the session. */
  isIdle?: boolean
}

/** Cookies to set, as the library wrote them. */
type Cookies = { cookies: string[] }
/** Ways to show a second factor. */
export type Way = 'code' | 'passkey'
/** `secondStep`: how the second step can be taken; empty when signed in. */
export type Entered = Cookies & { secondStep: Way[] }

export type Person = {
  userId: string
  sessionId: string
  /** When this session last used a code of the authenticator app, or a passkey. */
  codeAt: Date | undefined
  email: string
  /** Empty for an operator, who has none. */
  account: string
  totpEnabled: boolean
}

export type Sessions = ReturnType<typeof createSessions>

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  accounts: Accounts
  /** Late bound: a port of 0 is known once the server listens. */
  webUrl(): string
  openPool(): Promise<SchemaPool>
  /** Role of the users; each role has its own cookies. */
  role?: keyof typeof ENTRANCES
}

/** Users and sessions, by better-auth. Its errors become our refusals here. */
export function createSessions(deps: Deps) {
  const { db, runtime, log, accounts } = deps
  const entrance = ENTRANCES[deps.role ?? 'client']
  let opened: Promise<{ auth: Auth; pool: SchemaPool }> | undefined

  async function openLibrary() {
    const [{ openAuth }, pool] = await Promise.all([import('./auth.ts'), deps.openPool()])
    const secret = await serviceSecret(deps)
    const auth = openAuth({
      pool,
      secret,
      log,
      ids: runtime.ids,
      clock: runtime.clock,
      webUrl: deps.webUrl(),
      entrance,
      accountOf: async (email) => (await db.query(findSignUp, [email]))[0]?.account,
      claimStep: async (userId, step) => (await db.query(claimStep, [userId, step])).length > 0,
      hasPasskey: async (userId) => (await passkeysOf(userId)) > 0,
    })
    return { auth, pool }
  }

  async function library(): Promise<Auth> {
    opened ??= openLibrary().catch((error) => {
      // The next caller retries: the database may have been unreachable.
      opened = undefined
      throw error
    })
    return (await opened).auth
  }

  async function passkeysOf(userId: string): Promise<number> {
    const [row] = await db.query(countPasskeys, [userId])
    return Number(row?.passkeys ?? 0)
  }

  /** How the user can show a second factor; empty for who has none. */
  async function waysOf({ userId, hasApp }: { userId: string; hasApp: boolean }): Promise<Way[]> {
    const hasPasskey = (await passkeysOf(userId)) > 0
    return [...(hasApp ? ['code' as const] : []), ...(hasPasskey ? ['passkey' as const] : [])]
  }

  /** A first step, and what can follow. */
  async function begin(userId: string, call: () => Promise<Answer>): Promise<Entered | Refusal> {
    const entered = await enter(call)
    if (isRefusal(entered) || entered.methods === undefined) return entered
    const hasApp = entered.methods.includes('totp')
    return { ...entered, secondStep: await waysOf({ userId, hasApp }) }
  }

  /** Whether the session's use is to be updated, by the library's own rule. */
  function isDue(expiresAt: Date): boolean {
    const leftMs = expiresAt.getTime() - runtime.clock.wallMs()
    return leftMs <= (entrance.idleSeconds - entrance.renewSeconds) * 1_000
  }

  async function personOf(visitor: Visitor): Promise<(Person & Cookies) | undefined> {
    // Without a cookie of ours, skip the look-up and the half second of loading the library.
    if (!visitor.cookie?.includes(`${entrance.cookiePrefix}.`)) return undefined
    const auth = await library()
    const asked = { headers: headersOf(visitor), returnHeaders: true } as const
    const found = await auth.api.getSession({ ...asked, query: { disableRefresh: true } })
    // A session of the other role does not count here, even under the name of our cookie.
    if (found.response?.user.role !== entrance.role) return undefined
    const { user, session } = found.response
    if (runtime.clock.wallMs() - session.createdAt.getTime() >= entrance.longestMs) {
      await (await auth.$context).internalAdapter.deleteSession(session.token)
      return undefined
    }
    // Refresh after the role check, because it extends the session by this role's limit.
    const isUse = visitor.isIdle !== true && isDue(session.expiresAt)
    const { headers, response } = isUse ? await auth.api.getSession(asked) : found
    if (!response) return undefined
    return {
      userId: user.id,
      sessionId: session.id,
      codeAt: session.codeAt ?? undefined,
      email: user.email.endsWith(WALLET_MAIL) ? '' : user.email,
      account: user.ergonAccount ?? '',
      totpEnabled: user.twoFactorEnabled === true,
      cookies: headers.getSetCookie(),
    }
  }

  /** Who may try this password; undefined for a user of the other role, after as much work as for a wrong one. */
  async function mayEnter(auth: Auth, email: string, password: string) {
    const { internalAdapter, password: passwords } = await auth.$context
    const found = await internalAdapter.findUserByEmail(email)
    if (!found) return { userId: '' }
    const { id: userId, role } = found.user as { id: string; role?: string }
    if (role === entrance.role) return { userId }
    await passwords.hash(password)
    return undefined
  }

  /** Six digits are a code of the app, anything else is a backup code. */
  async function verifyCode(visitor: Visitor, code: string): Promise<Entered | Refusal> {
    const auth = await library()
    const call = { body: { code }, headers: headersOf(visitor), returnHeaders: true } as const
    return enter(() =>
      /^\d{6}$/.test(code) ? auth.api.verifyTOTP(call) : auth.api.verifyBackupCode(call),
    )
  }

  return {
    role: entrance.role,
    library,
    personOf,
    verifyCode,
    passkeysOf,
    /** How this person can show a second factor. */
    waysOfPerson: ({ userId, totpEnabled }: Person) => waysOf({ userId, hasApp: totpEnabled }),

    /** The account behind a cookie: for the guard of the workspace's mount. */
    async accountOf(visitor: Visitor): Promise<({ account: string } & Cookies) | Refusal> {
      const person = await personOf(visitor)
      if (!person) return refuse('session_required')
      const profile = await accounts.profileOf(person.account)
      if (!profile?.present) return refuse('user_not_found')
      return { account: person.account, cookies: person.cookies }
    },

    /** The operator behind a cookie: for the guard of the console's mount. */
    async operatorOf(visitor: Visitor): Promise<({ account: string } & Cookies) | Refusal> {
      const person = await personOf(visitor)
      if (!person || entrance.role !== 'operator') return refuse('session_required')
      return { account: person.email, cookies: person.cookies }
    },

    /** For a user who has proved to own the address. */
    async signUp(
      visitor: Visitor,
      asked: {
        email: string
        password: string
        name: string
        referralCode: string
        accepted?: readonly Accepted[]
      },
    ): Promise<Entered | Refusal> {
      const { password, name, referralCode, accepted = [] } = asked
      const email = asked.email.toLowerCase()
      if (email.endsWith(WALLET_MAIL)) return refusalOf('USER_ALREADY_EXISTS')
      const auth = await library()
      const { internalAdapter } = await auth.$context
      if (await internalAdapter.findUserByEmail(email)) return refusalOf('USER_ALREADY_EXISTS')
      // Create the account first: a user without one could sign in and own nothing. If the sign-up is
      // interrupted here, the next try finds the account.
      await accounts.ofLogin({ login: email, name, referralCode, accepted })
      const body = { email, password, name }
      const headers = headersOf(visitor)
      const signUp = () => auth.api.signUpEmail({ body, headers, returnHeaders: true })
      return enter(() =>
        signUp().catch(async (error) => {
          // Two concurrent sign-ups: the library only reports a failure.
          const twin = await internalAdapter.findUserByEmail(email)
          throw twin ? { body: { code: 'USER_ALREADY_EXISTS' } } : error
        }),
      )
    },

    async signIn(
      visitor: Visitor,
      { email, password }: { email: string; password: string },
    ): Promise<Entered | Refusal> {
      const auth = await library()
      const found = await mayEnter(auth, email.toLowerCase(), password)
      if (!found) return refusalOf('INVALID_EMAIL_OR_PASSWORD')
      return begin(found.userId, () =>
        auth.api.signInEmail({
          body: { email: email.toLowerCase(), password },
          headers: headersOf(visitor),
          returnHeaders: true,
        }),
      )
    },

    /** The second step of a sign-in. */
    async confirmCode(visitor: Visitor, code: string): Promise<Entered | Refusal> {
      return verifyCode({ ...visitor, cookie: halfWayOnly(visitor.cookie, entrance) }, code)
    },

    /** Signs in a user whose wallet has signed; the second step may follow. */
    async enterAs(visitor: Visitor, userId: string): Promise<Entered | Refusal> {
      const auth = await library()
      return begin(userId, () =>
        auth.api.enterAs({ body: { userId }, headers: headersOf(visitor), returnHeaders: true }),
      )
    },

    /** The user whose sign-in at this entrance lacks its second step. */
    async halfWayOf(visitor: Visitor): Promise<string | undefined> {
      const auth = await library()
      return (await auth.api.halfWay({ headers: headersOf(visitor) })).userId
    },

    /** Signs in a user whose passkey was checked; `afterPassword`: as the second step, which consumes the first. */
    async enterByPasskey(
      visitor: Visitor,
      body: { userId: string; afterPassword: boolean },
    ): Promise<Entered | Refusal> {
      const auth = await library()
      const cookie = halfWayOnly(visitor.cookie, entrance)
      const headers = headersOf({ ...visitor, cookie })
      return enter(() => auth.api.enterByPasskey({ body, headers, returnHeaders: true }))
    },

    /** True also for who signs in by a wallet and has no password. */
    async knowsPassword({ userId }: Person, password: string | undefined): Promise<boolean> {
      const { internalAdapter, password: passwords } = await (await library()).$context
      const logins = await internalAdapter.findAccounts(userId)
      const hash = logins.find(({ providerId }) => providerId === 'credential')?.password
      return !hash || (!!password && (await passwords.verify({ hash, password })))
    },

    /** A code or a passkey was shown in this session. */
    async noteSecondFactor(sessionId: string): Promise<void> {
      const { adapter } = await (await library()).$context
      await adapter.update({
        model: 'session',
        where: [{ field: 'id', value: sessionId }],
        update: { codeAt: new Date(runtime.clock.wallMs()) },
      })
    },

    async signOut(visitor: Visitor): Promise<Cookies> {
      const auth = await library()
      const { headers } = await auth.api.signOut({
        headers: headersOf(visitor),
        returnHeaders: true,
      })
      return { cookies: headers.getSetCookie() }
    },

    /** Creates an operator. False when the address is taken. */
    async createOperator(
      email: string,
      password: string,
      { totpSecret = '', role = 'administrator' }: { totpSecret?: string; role?: Role } = {},
    ): Promise<boolean> {
      const auth = await library()
      const { internalAdapter, password: passwords } = await auth.$context
      if (await internalAdapter.findUserByEmail(email)) return false
      const named = { email, name: 'Operator', emailVerified: true, role: 'operator' }
      const own = { ...named, operatorRole: role }
      const user = await internalAdapter.createUser(own, { method: 'admin' })
      const hash = await passwords.hash(password)
      const credential = { userId: user.id, accountId: user.id, password: hash }
      await internalAdapter.linkAccount({ ...credential, providerId: 'credential' })
      if (totpSecret) {
        await setUpApp(auth, user, totpSecret)
        await db.query(takeCodesAgain, [user.id])
      }
      return true
    },

    async close(): Promise<void> {
      const library = await opened?.catch(() => undefined)
      await library?.pool.end()
    },
  }
}

async function serviceSecret({ db, runtime }: Deps): Promise<string> {
  await db.query(insertSecret, [Buffer.from(runtime.random.bytes(32)).toString('base64url')])
  const [row] = await db.query(readSecret)
  assert(row, 'the secret of sessions has just been written')
  return row.secret
}

export function headersOf({ cookie, userAgent }: Visitor): Headers {
  const headers = new Headers()
  if (cookie) headers.set('cookie', cookie)
  if (userAgent) headers.set('user-agent', userAgent.slice(0, 400))
  return headers
}

type Answer = { headers: Headers; response: unknown }

/** `methods`: those of the library for the second step; undefined when signed in. */
async function enter(
  call: () => Promise<Answer>,
): Promise<(Entered & { methods: string[] | undefined }) | Refusal> {
  try {
    const { headers, response } = await call()
    const { twoFactorRedirect, twoFactorMethods = [] } = response as {
      twoFactorRedirect?: boolean
      twoFactorMethods?: string[]
    }
    const methods = twoFactorRedirect ? twoFactorMethods : undefined
    return { methods, secondStep: [], cookies: headers.getSetCookie() }
  } catch (error) {
    return refusalFrom(error)
  }
}

/** Turns the library's errors about user input into refusals; other errors are rethrown. */
export function refusalFrom(error: unknown): Refusal {
  const code = (error as { body?: { code?: string } }).body?.code
  if (code === undefined || !(code in REFUSALS)) throw error
  return refusalOf(code)
}

export function refusalOf(code: string): Refusal {
  const [refused, message] = REFUSALS[code]!
  return refuse(refused, { message })
}

const WRONG_CODE =
  'The code is wrong, too old, or used already. Enter the next one that your app shows.'
const AGAIN = 'Too many wrong codes. Sign in again, then wait for a new code.'
const TAKEN = 'This e-mail address has an account. Sign in, or ask for a new password.'

const REFUSALS: Record<string, [RefusalCode, string]> = {
  USER_ALREADY_EXISTS: ['invalid_sign_up_link', TAKEN],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: ['invalid_sign_up_link', TAKEN],
  INVALID_EMAIL_OR_PASSWORD: ['invalid_login', 'E-mail address or password is wrong.'],
  INVALID_EMAIL: ['invalid_login', 'E-mail address or password is wrong.'],
  INVALID_PASSWORD: ['wrong_password', 'The password is wrong.'],
  CREDENTIAL_ACCOUNT_NOT_FOUND: ['wrong_password', 'You sign in by wallet and have no password.'],
  INVALID_CODE: ['invalid_code', WRONG_CODE],
  INVALID_BACKUP_CODE: ['invalid_code', WRONG_CODE],
  BACKUP_CODES_NOT_ENABLED: ['invalid_code', WRONG_CODE],
  TOTP_NOT_ENABLED: ['invalid_code', WRONG_CODE],
  INVALID_TWO_FACTOR_COOKIE: ['invalid_code', 'This took too long. Sign in again.'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['too_many_attempts', AGAIN],
  ACCOUNT_TEMPORARILY_LOCKED: ['too_many_attempts', 'Too many wrong codes. Try in 15 minutes.'],
  TOTP_ALREADY_ENABLED: ['totp_enabled', 'An authenticator app is set up already.'],
}
