import { Type } from 'typebox'
import { AddressField, SunField, TextInput } from './fields.ts'
import { defineRoute } from './route.ts'

/** What a customer of an agent sees, without a key. */
const group = 'Pay page'

const publicId = Type.Object({ public_id: Type.String({ description: 'Id of the pay page.' }) })

export const getPay = defineRoute({
  name: 'getPay',
  method: 'GET',
  path: '/pay/{public_id}',
  auth: 'public',
  group,
  summary: 'What a pay page sells, and where to pay',
  params: publicId,
  reply: {
    status: 200,
    description: 'The offer.',
    schema: Type.Object({
      public_id: Type.String(),
      title: Type.String({ description: 'As its owner named it.' }),
      address: AddressField('Where to pay.'),
      energy_per_unit: SunField('Energy that one unit gives.'),
      base_payment_sun: SunField('Payment for one unit.'),
      max_units: SunField('Most units that one payment buys.'),
      available: Type.Boolean({ description: 'False: a payment sent now would be skipped.' }),
      referral_code: Type.String({ description: "The owner's code." }),
    }),
  },
  refusals: ['not_found'],
})

export const getPayCheck = defineRoute({
  name: 'getPayCheck',
  method: 'GET',
  path: '/pay/{public_id}/check',
  auth: 'public',
  group,
  summary: 'Whether an address can receive Energy',
  params: publicId,
  query: Type.Object({ address: TextInput('The address that will pay.') }),
  reply: {
    status: 200,
    description: 'Whether it can, and why not.',
    schema: Type.Object({
      can_receive: Type.Boolean(),
      message: Type.String({ description: 'In words.' }),
    }),
  },
  refusals: ['not_found'],
})
