import { Type } from 'typebox'
import { Nullable, SunField, TimeField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const Bar = Type.Object({
  id: Type.String(),
  account_id: Type.String({ description: 'The account that covered the address.' }),
  address: Type.String(),
  energy: SunField('Energy of the address that others took while the account covered it.'),
  began_at: TimeField('When more was taken than can be overlooked.'),
  until: TimeField('When it ends by itself.'),
  lifted_at: Nullable(TimeField('When an operator ended it.')),
})

export const getOperatorBars = defineRoute({
  name: 'getOperatorBars',
  method: 'GET',
  path: '/autoenergy/bars',
  auth: 'operator',
  group,
  summary:
    'Addresses that AutoEnergy does not cover because others used their Energy; newest first',
  reply: {
    status: 200,
    schema: Type.Object({ bars: Type.Array(Bar) }),
    description: 'At most 200, with those that are over.',
  },
  refusals: [],
})

export const postOperatorBarLift = defineRoute({
  name: 'postOperatorBarLift',
  method: 'POST',
  path: '/autoenergy/bars/{id}/lift',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'End a bar; what others took before does not count any more',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Bar, description: 'Lifted.' },
  refusals: ['not_found'],
})
