import type { Role } from '@ergon/contract'
import { statement } from '../db/index.ts'

export type InvitationRow = {
  id: string
  email: string
  role: Role
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  acceptedAt: Date | null
  revokedAt: Date | null
}

const INVITATION = `id, email, role, invited_by as "invitedBy", created_at as "createdAt", expires_at as "expiresAt",
  accepted_at as "acceptedAt", revoked_at as "revokedAt"`

/** An earlier one to this address, which the next replaces. */
export const revokeOpen = statement(
  'identity.revokeOpen',
  `
  update identity.invitation set revoked_at = $2 where email = $1 and accepted_at is null and revoked_at is null
`,
)

/** Who may invite nobody any more leaves no link behind. */
export const revokeInvitationsOf = statement(
  'identity.revokeInvitationsOf',
  `
  update identity.invitation set revoked_at = $2 where invited_by = $1 and accepted_at is null and revoked_at is null
`,
)

export const insertInvitation = statement<InvitationRow>(
  'identity.insertInvitation',
  `
  insert into identity.invitation (id, token_hash, email, role, invited_by, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  returning ${INVITATION}
`,
)

export const listInvitations = statement<InvitationRow>(
  'identity.listInvitations',
  `
  select ${INVITATION} from identity.invitation order by id desc limit 50
`,
)

export const revokeInvitation = statement<InvitationRow>(
  'identity.revokeInvitation',
  `
  update identity.invitation set revoked_at = $2 where id = $1 and accepted_at is null and revoked_at is null
  returning ${INVITATION}
`,
)

/** Takes the link: of two at the same moment one gets a row. */
export const acceptInvitation = statement<InvitationRow>(
  'identity.acceptInvitation',
  `
  update identity.invitation set accepted_at = $3
   where token_hash = $1 and email = $2 and accepted_at is null and revoked_at is null and expires_at > $3
  returning ${INVITATION}
`,
)

export const emailTaken = statement<{ id: string }>(
  'identity.emailTaken',
  `
  select id from better_auth."user" where email = $1
`,
)
