import { Type } from 'typebox'
import { Nullable, SunField, TimeField, TrxField } from './fields.ts'

/** A movement of a balance, as every list shows it. */
export const Entry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  entry_type: Type.String({
    description: 'deposit, purchase, refund and others; expect new ones.',
  }),
  amount_sun: SunField('Signed: a debit is negative.'),
  amount_trx: TrxField('The same amount.'),
  balance_after_sun: SunField('Balance after this entry.'),
  balance_after_trx: TrxField('The same balance.'),
  reference_id: Nullable(
    Type.String({ description: 'What it is about: an order, or a deposit transaction.' }),
  ),
  description: Type.String({ description: 'In words.' }),
  created_at: TimeField('When it was posted.'),
})
