import { type TProperties, Type } from 'typebox'
import { AddressField, CountField, Nullable, SunField, TimeField, TrxField } from './fields.ts'

/** One order: the reply of `GET /order/{id}`, an item of `GET /orders`, and part of a checkout. */
export const orderFields = {
  id: Type.String({ format: 'uuid' }),
  status: Type.Unsafe<'PENDING' | 'PROCESSING' | 'AWAITING_PAYMENT' | 'COMPLETED' | 'FAILED'>({
    type: 'string',
    enum: ['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED'],
  }),
  resource_type: Type.String({ description: 'ENERGY.' }),
  resource_amount: CountField('Energy ordered.'),
  duration: Type.String({ description: '1h.' }),
  receiver_address: AddressField('Address that receives the delegation.'),
  buyer_address: Type.String({
    description: 'Linked wallet, or the payer of an agent sale, or empty.',
  }),
  total_price_sun: SunField('Amount charged.'),
  total_price_trx: TrxField('The same amount.'),
  source: Type.String({ description: 'api, workspace, agent or checkout.' }),
  delegation_txids: Type.Array(Type.String(), {
    description: 'Delegation transactions; empty until COMPLETED.',
  }),
  error_message: Nullable(Type.String({ description: 'Set only when FAILED.' })),
  created_at: TimeField('When it was bought.'),
  updated_at: TimeField('When it last changed.'),
  completed_at: Nullable(TimeField('When it became COMPLETED.')),
} satisfies TProperties

export const Order = Type.Object(orderFields)
