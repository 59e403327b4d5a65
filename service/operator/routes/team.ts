import {
  getOperatorTeam,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorAcceptance,
  postOperatorInvitation,
  postOperatorInvitationRevocation,
  postOperatorRemoval,
  postOperatorRole,
  refuse,
} from '@ergon/contract'
import type { Invitation, OperatorItem } from '../../identity/index.ts'
import { type Clock, isUuid } from '../../kernel/index.ts'
import { type ConsoleDeps, missing } from './deps.ts'

export function teamRoutes(deps: ConsoleDeps): HandledRoute[] {
  return [...peopleRoutes(deps), ...invitationRoutes(deps)]
}

function peopleRoutes({ operators, roles, invitations, operator, clock, letters }: ConsoleDeps) {
  const { actions } = operator
  const find = async (id: string) => (await operators.list()).find((one) => one.id === id)
  return [
    handle(getOperatorTeam, async () => {
      const [people, invited] = await Promise.all([operators.list(), invitations.list()])
      return {
        operators: people.map(operatorReply),
        invitations: invited.map((one) => invitationReply(one, clock)),
        letters,
      }
    }),
    handle(postOperatorRole, async ({ account: who }, { params: { id }, body: { role, why } }) => {
      const one = await find(id)
      if (!one) return missing('operator')
      const deed = { who, what: 'change_role', subject: one.email, why }
      return actions.perform(deed, async () => {
        const objection = await roles.set(one.email, role)
        if (objection) return objection
        return { reply: { ...operatorReply(one), role }, change: { before: one.role, after: role } }
      })
    }),
    handle(postOperatorRemoval, async ({ account: who }, { params: { id }, body: { why } }) => {
      const one = await find(id)
      if (!one) return missing('operator')
      const deed = { who, what: 'remove_operator', subject: one.email, why }
      return actions.perform(deed, async () => {
        const objection = await roles.remove(one.email)
        return objection ?? { reply: {}, change: { before: one.role } }
      })
    }),
  ]
}

const MAIL_ADDRESS = /^[^@\s]+@[^@\s]+$/

function invitationRoutes({ invitations, operator: { actions }, clock }: ConsoleDeps) {
  return [
    handle(postOperatorInvitation, async ({ account: who }, { body }) => {
      const { role, by_mail: byMail, why } = body
      const email = body.email.trim().toLowerCase()
      if (!MAIL_ADDRESS.test(email)) {
        return refuse('validation_error', { message: 'email is no e-mail address.' })
      }
      return actions.perform({ who, what: 'invite', subject: email, why }, async () => {
        const made = await invitations.invite({ email, role, by: who, byMail })
        if (isRefusal(made)) return made
        const { invitation, link } = made
        const reply = { invitation: invitationReply(invitation, clock), link }
        return { reply, change: { invitation: invitation.id, role } }
      })
    }),
    handle(postOperatorInvitationRevocation, ({ account: who }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('invitation')
      const deed = { who, what: 'revoke_invitation', subject: id, why: body.why }
      return actions.perform(deed, async () => {
        const revoked = await invitations.revoke(id)
        if (isRefusal(revoked)) return revoked
        return { reply: invitationReply(revoked, clock), change: { email: revoked.email } }
      })
    }),
  ]
}

/** For somebody who is not an operator yet; the guard of the sign-in counts the tries. */
export function acceptanceRoute({ invitations, operator: { actions } }: ConsoleDeps): HandledRoute {
  return handle(postOperatorAcceptance, async (_caller, { body: { token, email, password } }) => {
    const accepted = await invitations.accept(token, email, password)
    if (isRefusal(accepted)) return accepted
    const { invitation, app } = accepted
    const why = `invited by ${invitation.invitedBy}`
    const deed = {
      who: invitation.email,
      what: 'accept_invitation',
      subject: invitation.email,
      why,
    }
    const { role } = invitation
    return actions.perform(deed, async () => ({
      reply: { role, totp_uri: app.uri, totp_secret: app.secret },
      change: { invitation: invitation.id, role },
    }))
  })
}

function operatorReply({ id, email, role, secondStep, createdAt }: OperatorItem) {
  return { id, email, role, second_step: secondStep, created_at: createdAt.toISOString() }
}

function invitationReply(row: Invitation, clock: Clock) {
  const isOver = row.expiresAt.getTime() <= clock.now().getTime()
  const ended = row.revokedAt ? 'revoked' : isOver ? 'ended' : 'open'
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invited_by: row.invitedBy,
    state: row.acceptedAt ? ('accepted' as const) : (ended as 'revoked' | 'ended' | 'open'),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }
}
