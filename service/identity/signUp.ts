import { isRefusal, type Refusal, refuse } from '@ergon/contract'
import { createAllowance, type Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import { WALLET_MAIL } from './accounts.ts'
import type { Entered, Sessions, Visitor } from './sessions.ts'
import type { Terms } from './terms.ts'
import type { Accepted, Said } from './termsText.ts'

export type SignUp = ReturnType<typeof createSignUp>

const VALID_MS = 3_600_000
const LETTERS = { most: 3, windowMs: 3_600_000 }
const NAME = 'sign-up:'
const NOT_VALID = 'This link was used already, or it is over. Sign up again.'
const NO_LETTERS =
  'This service has no mail server, so nobody can sign up by e-mail here. Sign in with a wallet.'

type Person = { email: string; name: string; referralCode: string }
type Asked = Person & { said: Said }
/** What the link of the e-mail stands for. */
type Kept = Person & { accepted?: Accepted[] }

/**
 * Opens an account through a link in an e-mail. Whether the address has an account is not checked
 * before the link is used: answer, e-mail and work are the same for all addresses.
 */
export function createSignUp(deps: {
  sessions: Sessions
  mail: Mail
  runtime: Runtime
  webUrl(): string
  isSandbox: boolean
  terms: Terms
}) {
  const { sessions, mail, runtime, webUrl, isSandbox, terms } = deps
  const allowLetter = createAllowance(runtime.clock, LETTERS)

  return {
    async ask({
      said,
      ...asked
    }: Asked): Promise<{ letters: Mail['letters']; link: string | null } | Refusal> {
      if (mail.letters === 'none' && !isSandbox) {
        return refuse('no_mail_server', { message: NO_LETTERS })
      }
      const accepted = terms.judge(said)
      if (isRefusal(accepted)) return accepted
      const email = asked.email.toLowerCase()
      const { internalAdapter } = await (await sessions.library()).$context
      const token = Buffer.from(runtime.random.bytes(32)).toString('base64url')
      const link = `${webUrl()}/confirm#${token}`
      if (isSandbox || allowLetter(email) === 0) {
        await internalAdapter.createVerificationValue({
          identifier: NAME + token,
          value: JSON.stringify({ ...asked, email, accepted } satisfies Kept),
          // Wall time, because the library compares it with the system clock.
          expiresAt: new Date(runtime.clock.wallMs() + VALID_MS),
        })
        if (!email.endsWith(WALLET_MAIL)) await mail.send(email, letterWith(link))
      }
      return { letters: mail.letters, link: isSandbox ? link : null }
    },

    /** The reader of the e-mail chooses the password, never the requester. */
    async confirm(visitor: Visitor, token: string, password: string): Promise<Entered | Refusal> {
      const { internalAdapter } = await (await sessions.library()).$context
      const asked = await internalAdapter.consumeVerificationValue(NAME + token)
      if (!asked) return refuse('invalid_sign_up_link', { message: NOT_VALID })
      const person = JSON.parse(asked.value) as Kept
      return sessions.signUp(visitor, { ...person, password })
    },
  }
}

const letterWith = (url: string) => ({
  subject: 'Your account at Ergon',
  text: [
    'Somebody, hopefully you, wants an account at Ergon with this address.',
    `Choose a password here within an hour:\n\n${url}`,
    'The link works once. If you have an account already, sign in as before: nothing was changed. If it was not you, do nothing.',
  ].join('\n\n'),
})
