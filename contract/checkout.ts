import { Type } from 'typebox'
import { AddressField, PositiveInput, SunField, TextInput, TimeField, TrxField } from './fields.ts'
import { orderFields } from './order.ts'
import { defineRoute } from './route.ts'

/** Orders that are paid by a transfer instead of from the balance. Only the workspace has them. */
const group = 'Checkout'

const Checkout = Type.Object({
  ...orderFields,
  deposit_address: AddressField('Where to send the payment.'),
  amount_sun: SunField('Send exactly this much: any other amount is only a deposit.'),
  amount_trx: TrxField('The same amount.'),
  expires_at: TimeField('The transfer must be mined by then; until then the price is held.'),
})

export const postCheckout = defineRoute({
  name: 'postCheckout',
  method: 'POST',
  path: '/checkouts',
  auth: 'session',
  group,
  summary: 'Order Energy and pay by a transfer',
  body: Type.Object({
    receiver_address: TextInput('Address that receives the Energy.'),
    resource_amount: PositiveInput('Energy wanted.'),
    resource_type: Type.Optional(TextInput('Only ENERGY, which is the default.')),
    duration: Type.Optional(TextInput('Only 1h, which is the default.')),
  }),
  reply: { status: 200, schema: Checkout, description: 'The order awaits its payment.' },
  refusals: [
    'unsupported_resource',
    'invalid_duration',
    'validation_error',
    'order_amount_below_minimum',
    'order_amount_above_maximum',
    'service_unavailable',
    'account_blocked',
  ],
})

export const getCheckout = defineRoute({
  name: 'getCheckout',
  method: 'GET',
  path: '/checkouts/{id}',
  auth: 'session',
  group,
  summary: 'One checkout, paid or not',
  params: Type.Object({ id: Type.String({ description: 'Order id.' }) }),
  reply: { status: 200, schema: Checkout, description: 'The order and how to pay it.' },
  refusals: ['order_not_found'],
})
