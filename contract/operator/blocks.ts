import { Type } from 'typebox'
import { defineRoute } from '../route.ts'
import { Account } from './accounts.ts'
import { byId, group, why } from './fields.ts'

export const postOperatorBlock = defineRoute({
  name: 'postOperatorBlock',
  method: 'POST',
  path: '/accounts/{id}/block',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Block an account: it buys nothing, keeps its money and reads everything',
  description:
    'Of an account that is blocked it changes the reason. Nothing is sold to it once this is answered.',
  params: byId,
  body: Type.Object({
    reason: Type.String({
      format: 'text',
      minLength: 3,
      maxLength: 300,
      description: 'A sentence that the client reads; `why` stays in the log.',
    }),
    why,
  }),
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: ['not_found'],
})

export const postOperatorUnblock = defineRoute({
  name: 'postOperatorUnblock',
  method: 'POST',
  path: '/accounts/{id}/unblock',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Unblock an account',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: ['not_found', 'validation_error'],
})
