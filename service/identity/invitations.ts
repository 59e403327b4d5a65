import { createHash } from 'node:crypto'
import { type Refusal, type Role, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import type { Mail } from '../mail/index.ts'
import {
  acceptInvitation,
  emailTaken,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  revokeInvitation,
  revokeOpen,
} from './invitations.sql.ts'
import type { Operators } from './operators.ts'
import type { App } from './setUpApp.ts'

const VALID_DAYS = 3
const DAY_MS = 86_400_000
const TAKEN = 'Somebody has this e-mail address already; an operator needs one of their own.'
const NO_LETTERS = 'This service has no mail server. Make a link and hand it over yourself.'
const NOT_VALID =
  'This link was used or revoked, it is over, or it is for another address. Ask for a new one.'

type Wish = { email: string; role: Role; by: string; byMail: boolean }
type Accepted = { invitation: InvitationRow; app: App }

const hashOf = (token: string) => createHash('sha256').update(token).digest()

/** Lets people in as operators: a link that works once, for one address and one role, within three days. */
export function createInvitations(deps: {
  db: Db
  runtime: Runtime
  mail: Mail
  operators: Pick<Operators, 'add'>
  webUrl(): string
}) {
  const { db, runtime, mail, operators, webUrl } = deps
  const { clock } = runtime

  return {
    /** The link is returned once, or written to the address and shown to nobody. */
    async invite(
      wish: Wish,
    ): Promise<{ invitation: InvitationRow; link: string | null } | Refusal> {
      const { role, by, byMail } = wish
      const email = wish.email.trim().toLowerCase()
      if (byMail && mail.letters === 'none')
        return refuse('validation_error', { message: NO_LETTERS })
      const token = Buffer.from(runtime.random.bytes(32)).toString('base64url')
      const link = `${webUrl()}/operator/invitation#${token}`
      const now = clock.now()
      const ends = new Date(now.getTime() + VALID_DAYS * DAY_MS)
      return db.transaction(async (tx) => {
        if ((await tx.query(emailTaken, [email])).length > 0) {
          return refuse('validation_error', { message: TAKEN })
        }
        await tx.query(revokeOpen, [email, now])
        const row = [runtime.ids.next(), hashOf(token), email, role, by, now, ends]
        const [invitation] = await tx.query(insertInvitation, row)
        if (byMail) await mail.write(tx, email, letterWith(link, { role, by }))
        return { invitation: invitation!, link: byMail ? null : link }
      })
    },

    /** Newest first. */
    list: (): Promise<InvitationRow[]> => db.query(listInvitations),

    async revoke(id: string): Promise<InvitationRow | Refusal> {
      const [row] = await db.query(revokeInvitation, [id, clock.now()])
      return row ?? refuse('not_found', { message: 'There is no open invitation like this.' })
    },

    /**
     * The link is taken first: a crash before the operator exists costs an invitation and opens nothing. The app is
     * set up at once, so that the password alone changes nothing.
     */
    async accept(token: string, email: string, password: string): Promise<Accepted | Refusal> {
      const address = email.trim().toLowerCase()
      const [invitation] = await db.query(acceptInvitation, [hashOf(token), address, clock.now()])
      if (!invitation) return refuse('invalid_invitation', { message: NOT_VALID })
      const app = await operators.add(address, password, invitation.role)
      if (!app) return refuse('validation_error', { message: TAKEN })
      return { invitation, app }
    },
  }
}

export type Invitations = ReturnType<typeof createInvitations>

const letterWith = (url: string, { role, by }: { role: Role; by: string }) => ({
  subject: 'An invitation to the console of Ergon',
  text: [
    `${by} invites you to the console of Ergon, with the role ${role}.`,
    `Choose a password here within ${VALID_DAYS} days, and have an authenticator app at hand:\n\n${url}`,
    'The link works once and for this address alone. If you did not expect it, do nothing.',
  ].join('\n\n'),
})
