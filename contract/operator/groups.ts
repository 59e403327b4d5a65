import { Type } from 'typebox'
import { Nullable, TextInput, TimeField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { Account } from './accounts.ts'
import { byId, group, why } from './fields.ts'

const ClientGroup = Type.Object({
  name: Type.String(),
  accounts: Type.Integer({ description: 'How many accounts are in it.' }),
  created_at: TimeField('When it was made.'),
})

const Groups = Type.Object({ groups: Type.Array(ClientGroup, { description: 'By name.' }) })

export const getOperatorGroups = defineRoute({
  name: 'getOperatorGroups',
  method: 'GET',
  path: '/groups',
  auth: 'operator',
  group,
  summary: 'Groups of clients',
  reply: { status: 200, schema: Groups, description: 'All groups.' },
  refusals: [],
})

export const postOperatorGroup = defineRoute({
  name: 'postOperatorGroup',
  method: 'POST',
  path: '/groups',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Make a group of clients; its name stays',
  body: Type.Object({
    name: TextInput('1 to 40 lower-case letters, digits and hyphens; not "none".', 64),
    why,
  }),
  reply: { status: 200, schema: Groups, description: 'All groups.' },
  refusals: ['validation_error'],
})

export const postOperatorAccountGroup = defineRoute({
  name: 'postOperatorAccountGroup',
  method: 'POST',
  path: '/accounts/{id}/group',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Move an account into a group, or out of it',
  params: byId,
  body: Type.Object({
    group: Nullable(TextInput('Name of the group; null: out of its group.', 64)),
    why,
  }),
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: ['not_found', 'validation_error'],
})
