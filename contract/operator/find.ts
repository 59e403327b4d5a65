import { Type } from 'typebox'
import { EnumField, Nullable, TextInput } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group } from './fields.ts'

const Found = Type.Object({
  kind: EnumField(['account', 'order', 'deposit', 'payment'], 'What was found.'),
  id: Type.String({ description: 'Its id; of a deposit or payment, the transaction.' }),
  account_id: Type.String({ description: 'Whose it is.' }),
  account_name: Type.String({ description: 'Name or sign-in of that account.' }),
  order_id: Nullable(Type.String({ description: 'The order that belongs to it.' })),
  why: Type.String({ description: 'What of it is the text that was searched for.' }),
})

export const getOperatorFound = defineRoute({
  name: 'getOperatorFound',
  method: 'GET',
  path: '/find',
  auth: 'operator',
  group,
  summary: 'Whatever a pasted text is: an id, an address, a transaction, a name or an e-mail',
  query: Type.Object({ text: TextInput('The text.', 254) }),
  reply: {
    status: 200,
    schema: Type.Object({ found: Type.Array(Found) }),
    description: 'At most 30.',
  },
  refusals: [],
})
