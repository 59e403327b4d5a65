import { type TProperties, Type } from 'typebox'
import {
  AddressField,
  CountField,
  EnumField,
  Nullable,
  SunField,
  TimeField,
  TrxField,
  TxidField,
  WalletField,
} from './fields.ts'

/** One order: the reply of `GET /order/{id}`, an item of `GET /orders`, and part of a checkout. */
export const orderFields = {
  id: Type.String({ format: 'uuid' }),
  status: EnumField(['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED']),
  resource_type: EnumField(['ENERGY']),
  resource_amount: CountField('Energy ordered.'),
  duration: EnumField(['1h']),
  receiver_address: AddressField('Address that receives the delegation.'),
  buyer_address: WalletField('Linked wallet, or the payer of an agent sale, or empty.'),
  total_price_sun: SunField('Amount charged.'),
  total_price_trx: TrxField('The same amount.'),
  source: EnumField(['api', 'workspace', 'agent', 'checkout'], 'Where it was bought.'),
  delegation_txids: Type.Array(TxidField('Delegation.'), {
    description: 'Delegation transactions; empty until COMPLETED.',
  }),
  error_message: Nullable(Type.String({ description: 'Set only when FAILED.' })),
  created_at: TimeField('When it was bought.'),
  updated_at: TimeField('When it last changed.'),
  completed_at: Nullable(TimeField('When it became COMPLETED.')),
} satisfies TProperties

export const Order = Type.Object(orderFields)

/** What was given back for Energy that its seller took back before the hour was over. */
export const ReclaimCredit = Type.Object({
  reclaim_txid: TxidField('The transaction that took Energy back.'),
  reclaimed_at: TimeField('Time of its block.'),
  energy: CountField('Energy of the order that it took.'),
  missing_seconds: CountField('Until the hour would have been over.'),
  credit_trx: TrxField('Given back to the buyer: never more than the price in all.'),
})
