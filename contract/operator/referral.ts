import { Type } from 'typebox'
import { defineRoute } from '../route.ts'
import { group, why } from './fields.ts'

const Terms = Type.Object({
  basis_points: Type.Integer({ description: 'Of the price of each order; 0: no commission.' }),
})

export const getOperatorReferral = defineRoute({
  name: 'getOperatorReferral',
  method: 'GET',
  path: '/referral',
  auth: 'operator',
  group,
  summary: 'Commission for clients through whom others signed up',
  reply: { status: 200, schema: Terms, description: 'The terms.' },
  refusals: [],
})

export const postOperatorReferral = defineRoute({
  name: 'postOperatorReferral',
  method: 'POST',
  path: '/referral',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Set the commission; orders that complete from then on earn it',
  body: Type.Object({
    basis_points: Type.Integer({
      minimum: 0,
      maximum: 5_000,
      description: '100 are one per cent of the price.',
    }),
    why,
  }),
  reply: { status: 200, schema: Terms, description: 'The terms.' },
  refusals: [],
})
