import { type HandledRoute, isRefusal, type Refusal, type Route, refuse } from '@ergon/contract'
import { assert, type Clock } from '../kernel/index.ts'
import { type Person, refusalOf, type Sessions, type Visitor } from './sessions.ts'

export type SecondFactor = ReturnType<typeof createSecondFactor>

const FRESH_MS = 10 * 60_000
/** The library's limit at the sign-in, counted in the same column. */
const WRONG_CODES_MAX = 10
const LOCK_MS = 15 * 60_000

/** An operator's first factor is set up on the server: otherwise a thief of the password could set up another. */
const NO_FACTOR = {
  client: () => 'Set up an authenticator app or add a passkey on the page Security first.',
  operator: (email: string) =>
    `You have no authenticator app and no passkey. Ask for \`npx ergon operators totp ${email}\` on a machine of the service.`,
}
const NO_APP = 'You have no authenticator app. Show your passkey.'
const SHOW = {
  code: 'Enter the code that your authenticator app shows now.',
  passkey: 'Show your passkey.',
  either: 'Show your passkey, or enter the code that your authenticator app shows now.',
}

type App = { id: string; failedVerificationCount: number | null }

/** Requires a code of the authenticator app or a passkey again in an open session. */
export function createSecondFactor({ sessions, clock }: { sessions: Sessions; clock: Clock }) {
  const noFactor = ({ email }: Person) =>
    refuse('second_factor_required', { message: NO_FACTOR[sessions.role](email) })

  /** Counts a guess before the code is checked, so that concurrent guesses all count. */
  async function countGuess(userId: string): Promise<App | Refusal> {
    const { adapter } = await (await sessions.library()).$context
    const now = new Date(clock.wallMs())
    await adapter.updateMany({
      model: 'twoFactor',
      where: [
        { field: 'userId', value: userId },
        { field: 'lockedUntil', operator: 'lte', value: now },
      ],
      update: { failedVerificationCount: 0, lockedUntil: null },
    })
    const app = await adapter.incrementOne<App>({
      model: 'twoFactor',
      where: [{ field: 'userId', value: userId }],
      increment: { failedVerificationCount: 1 },
    })
    assert(app, 'who has a second factor has an app')
    if ((app.failedVerificationCount ?? 0) <= WRONG_CODES_MAX) return app
    await adapter.updateMany({
      model: 'twoFactor',
      where: [
        { field: 'userId', value: userId },
        { field: 'lockedUntil', value: null },
      ],
      update: { lockedUntil: new Date(now.getTime() + LOCK_MS) },
    })
    return refusalOf('ACCOUNT_TEMPORARILY_LOCKED')
  }

  return {
    /** Undefined when the session may go on. */
    async check(
      visitor: Visitor,
      kind: NonNullable<Route['secondFactor']>,
    ): Promise<Refusal | undefined> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      const ageMs = clock.wallMs() - (person.codeAt?.getTime() ?? Number.NEGATIVE_INFINITY)
      const isFresh = ageMs < FRESH_MS
      // Passkeys are counted only where they decide.
      if (person.totpEnabled && isFresh) return undefined
      const ways = await sessions.waysOfPerson(person)
      if (ways.length === 0) return kind === 'needed' ? noFactor(person) : undefined
      if (isFresh) return undefined
      const way = ways.length > 1 ? 'either' : ways[0]!
      return refuse('code_required', { message: SHOW[way], second_step: way })
    },

    /** Confirms a code of the app or a backup code; it counts for this session. */
    async stepUp(visitor: Visitor, code: string): Promise<Refusal | undefined> {
      const person = await sessions.personOf(visitor)
      if (!person) return refuse('session_required')
      if (!person.totpEnabled) {
        const hasPasskey = (await sessions.passkeysOf(person.userId)) > 0
        return hasPasskey ? refuse('second_factor_required', { message: NO_APP }) : noFactor(person)
      }
      const app = await countGuess(person.userId)
      if (isRefusal(app)) return app
      const shown = await sessions.verifyCode(visitor, code)
      if (isRefusal(shown)) return shown
      const { adapter } = await (await sessions.library()).$context
      await adapter.update({
        model: 'twoFactor',
        where: [{ field: 'id', value: app.id }],
        update: { failedVerificationCount: 0, lockedUntil: null },
      })
      await sessions.noteSecondFactor(person.sessionId)
      return undefined
    },
  }
}

type Headers = { cookie?: string; 'user-agent'?: string }

/** Adds the second-factor check to routes whose contract requires it. */
export function withSecondFactor(
  routes: HandledRoute[],
  { check }: Pick<SecondFactor, 'check'>,
): HandledRoute[] {
  return routes.map(({ route, run }) => {
    const kind = route.secondFactor
    if (!kind) return { route, run }
    return {
      route,
      async run(caller, call: { headers: Headers }) {
        const { cookie, 'user-agent': userAgent } = call.headers
        const refusal = await check({ cookie, userAgent }, kind)
        return refusal ?? run(caller, call as never)
      },
    } as HandledRoute
  })
}
