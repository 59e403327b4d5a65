import { type Refusal, refuse } from '@ergon/contract'
import { createAllowance, type Log, type Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import { WALLET_MAIL } from './accounts.ts'
import type { Sessions } from './sessions.ts'

export type PasswordReset = ReturnType<typeof createPasswordReset>

const VALID_MS = 30 * 60_000
const LETTERS = { most: 3, windowMs: 3_600_000 }
const NAME = 'reset-password:'
const NOT_VALID = 'This link was used already, or it is over. Ask for a new one.'

type User = { id: string; email: string; role?: string }

/**
 * Replaces a forgotten password through a link in an e-mail. The link works once within half an hour,
 * only its hash is stored, and a new password ends all sessions. The second step stays.
 */
export function createPasswordReset(deps: {
  sessions: Sessions
  mail: Mail
  runtime: Runtime
  log: Log
  webUrl(): string
}) {
  const { sessions, mail, runtime, log, webUrl } = deps
  const allowLetter = createAllowance(runtime.clock, LETTERS)

  /** Excludes operators, whom a command resets, and wallets, which have no mailbox. */
  const isClient = (user: User | null | undefined): user is User =>
    user?.role === 'client' && !user.email.endsWith(WALLET_MAIL)

  async function writeLetter(email: string): Promise<void> {
    const { internalAdapter } = await (await sessions.library()).$context
    const user = (await internalAdapter.findUserByEmail(email))?.user as User | undefined
    if (!isClient(user) || allowLetter(user.id) > 0) return
    const token = Buffer.from(runtime.random.bytes(32)).toString('base64url')
    // Wall time, because the library compares it with the system clock.
    const expiresAt = new Date(runtime.clock.wallMs() + VALID_MS)
    await internalAdapter.createVerificationValue({
      identifier: NAME + token,
      value: user.id,
      expiresAt,
    })
    await mail.send(user.email, letterWith(`${webUrl()}/reset#${token}`))
  }

  return {
    /** What becomes of letters here; the same for every address. */
    letters: mail.letters,

    /** Returns at once and reveals, also by its duration, nothing about the account. */
    ask(email: string): void {
      writeLetter(email.trim().toLowerCase()).catch((error) => {
        log.error('reset_letter_not_written', { error })
      })
    },

    async set(token: string, password: string): Promise<Refusal | undefined> {
      const {
        internalAdapter,
        adapter,
        password: passwords,
      } = await (await sessions.library()).$context
      const refusal = refuse('invalid_reset_link', { message: NOT_VALID })
      const asked = await internalAdapter.consumeVerificationValue(NAME + token)
      if (!asked) return refusal
      const user = (await internalAdapter.findUserById(asked.value)) as User | null
      if (!isClient(user)) return refusal
      await internalAdapter.updatePassword(user.id, await passwords.hash(password))
      await internalAdapter.deleteUserSessions(user.id)
      // Also delete other links and half-finished sign-ins.
      await adapter.deleteMany({
        model: 'verification',
        where: [{ field: 'value', value: user.id }],
      })
      await mail.send(user.email, CHANGED)
      return undefined
    },
  }
}

const letterWith = (url: string) => ({
  subject: 'A new password for Ergon',
  text: [
    'Somebody, hopefully you, asked for a new password at Ergon.',
    `Choose it here within 30 minutes:\n\n${url}`,
    'The link works once. If it was not you, do nothing: your password stays as it is.',
  ].join('\n\n'),
})

const CHANGED = {
  subject: 'Your password at Ergon was changed',
  text: [
    'Your password at Ergon has just been changed by a link in a letter to this address.',
    'Everybody was signed out. If it was not you, ask for a new password at once, and change the one of this letter box.',
  ].join('\n\n'),
}
