import { Type } from 'typebox'
import { Nullable, TimeField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { Account } from './accounts.ts'
import { byId, group, why } from './fields.ts'

export const postOperatorLimits = defineRoute({
  name: 'postOperatorLimits',
  method: 'POST',
  path: '/accounts/{id}/limits',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Give an account limits of its own; null: as for everybody',
  params: byId,
  body: Type.Object({
    requests_per_minute: Nullable(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests with its keys.' }),
    ),
    unverified_credit_trx: Nullable(
      Type.String({
        format: 'text',
        maxLength: 24,
        description: 'What it may spend before its block is final; 0: nothing.',
      }),
    ),
    max_amount: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Energy of its largest order.',
      }),
    ),
    why,
  }),
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: ['not_found', 'validation_error'],
})

const Notes = Type.Object({
  notes: Type.Array(
    Type.Object({
      id: Type.String(),
      text: Type.String(),
      who: Type.String({ description: 'The operator who wrote it.' }),
      at: TimeField('When.'),
    }),
    { description: 'Newest first, at most 50.' },
  ),
})

export const getOperatorNotes = defineRoute({
  name: 'getOperatorNotes',
  method: 'GET',
  path: '/accounts/{id}/notes',
  auth: 'operator',
  group,
  summary: 'Notes about an account, which its client never reads',
  params: byId,
  reply: { status: 200, schema: Notes, description: 'The notes.' },
  refusals: ['not_found'],
})

export const postOperatorNote = defineRoute({
  name: 'postOperatorNote',
  method: 'POST',
  path: '/accounts/{id}/notes',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Write a note about an account; notes are not changed or removed',
  params: byId,
  body: Type.Object({
    text: Type.String({
      format: 'text',
      minLength: 1,
      maxLength: 2_000,
      description: 'For operators alone.',
    }),
  }),
  reply: { status: 200, schema: Notes, description: 'The notes.' },
  refusals: ['not_found'],
})
