import { Type } from 'typebox'
import { EnumField, Nullable, TextInput, TimeField } from '../fields.ts'
import { headers, password } from '../login.ts'
import { ROLES } from '../role.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const role = EnumField(ROLES, 'What they may do; each role may do what those before it may.')

const Operator = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role,
  second_step: Type.Boolean({
    description: 'False: without an app and a passkey they can only read.',
  }),
  created_at: TimeField('Since when.'),
})

const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role,
  invited_by: Type.String(),
  state: EnumField(['open', 'accepted', 'revoked', 'ended'], 'What became of it.'),
  created_at: TimeField('When.'),
  expires_at: TimeField('Until when the link works.'),
})

export const getOperatorTeam = defineRoute({
  name: 'getOperatorTeam',
  method: 'GET',
  path: '/team',
  auth: 'operator',
  group,
  summary: 'Operators with their roles, and the newest invitations',
  reply: {
    status: 200,
    schema: Type.Object({
      operators: Type.Array(Operator),
      invitations: Type.Array(Invitation, { description: 'At most 50, newest first.' }),
      letters: Type.Boolean({ description: 'Whether this service can send e-mail.' }),
    }),
    description: 'The team.',
  },
  refusals: [],
})

export const postOperatorRole = defineRoute({
  name: 'postOperatorRole',
  method: 'POST',
  path: '/team/{id}/role',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Give an operator another role; it holds for their next request',
  params: byId,
  body: Type.Object({ role, why }),
  reply: { status: 200, schema: Operator, description: 'As it is now.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorRemoval = defineRoute({
  name: 'postOperatorRemoval',
  method: 'POST',
  path: '/team/{id}/removal',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Remove an operator; their sessions end at once',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Type.Object({}), description: 'Removed.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorInvitation = defineRoute({
  name: 'postOperatorInvitation',
  method: 'POST',
  path: '/team/invitations',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Invite somebody by a link that works once, for one address and role, within three days',
  body: Type.Object({
    email: TextInput('E-mail address.', 254),
    role,
    by_mail: Type.Boolean({
      description: 'True: the link goes to the address and is shown to nobody.',
    }),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      invitation: Invitation,
      link: Nullable(Type.String({ description: 'Shown this once; null: it went by e-mail.' })),
    }),
    description: 'Invited.',
  },
  refusals: ['validation_error'],
})

export const postOperatorInvitationRevocation = defineRoute({
  name: 'postOperatorInvitationRevocation',
  method: 'POST',
  path: '/team/invitations/{id}/revocation',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Revoke an invitation; its link works no more',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Invitation, description: 'As it is now.' },
  refusals: ['not_found'],
})

export const postOperatorAcceptance = defineRoute({
  name: 'postOperatorAcceptance',
  method: 'POST',
  path: '/session/invitation',
  auth: 'public',
  group,
  summary: 'Accept an invitation: choose a password, and set up the authenticator app',
  headers,
  body: Type.Object({
    token: TextInput('From the link.', 64),
    email: TextInput('The address that was invited.', 254),
    password: password('At least 10 characters.'),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      role,
      totp_uri: Type.String({ description: 'For the camera of the authenticator app.' }),
      totp_secret: Type.String({ description: 'The same, to type; shown this once.' }),
    }),
    description: 'Sign in with the password and a code of the app.',
  },
  refusals: ['invalid_invitation', 'validation_error'],
})
