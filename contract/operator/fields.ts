import { Type } from 'typebox'
import { Nullable, SunField, TimeField, TrxField } from '../fields.ts'

export const group = 'Operator'

/** Every change says why; it is kept with who made it and what it changed. */
export const why = Type.String({
  format: 'text',
  minLength: 3,
  maxLength: 500,
  description: 'Why; kept in the log of actions.',
})
export const byId = Type.Object({ id: Type.String({ description: 'Its id.' }) })

export const Adjustment = Type.Object({
  id: Type.String(),
  account_id: Type.String(),
  amount_sun: SunField('Signed, as the client sees it.'),
  amount_trx: TrxField('The same.'),
  reason: Type.String(),
  state: Type.Unsafe<'requested' | 'booked' | 'refused'>({ type: 'string' }),
  requested_by: Type.String(),
  requested_at: TimeField('When it was asked for.'),
  decided_by: Nullable(
    Type.String({ description: 'The operator who approved or refused it, if any.' }),
  ),
})

export const Config = Type.Object({
  id: Type.String(),
  account_id: Type.String(),
  title: Type.String(),
  address: Type.String(),
  mode: Type.String(),
  energy_per_unit: SunField('Energy of one unit.'),
  base_payment_sun: SunField('Price of one unit.'),
  status: Type.String(),
  pause_reason: Nullable(Type.String({ description: 'Why it is paused.' })),
})

export const Payout = Type.Object({
  id: Type.String(),
  account_id: Type.String(),
  to: Type.String(),
  amount_trx: TrxField('What is paid.'),
  amount_sun: SunField('The same, as it is signed.'),
  reason: Type.String(),
  state: Type.String({
    description:
      'requested, approved, expired (the next attempt needs approvals), cancelling, cancelled or paid.',
  }),
  attempt: Type.Integer({ description: 'Approvals name it; the next begins when bytes expired.' }),
  approvals: Type.Array(
    Type.Object({
      by: Type.String(),
      key: Type.String({ description: 'Public key, as hex.' }),
      ends_at: TimeField('It counts until then.'),
    }),
    { description: 'Of this attempt.' },
  ),
  signed: Type.Array(Type.Object({ attempt: Type.Integer(), txid: Type.String() }), {
    description: 'What the signer has signed of it, by its own word.',
  }),
  requested_by: Type.String(),
  approved_by: Nullable(Type.String({ description: 'Who approved it.' })),
  cancelled_by: Nullable(Type.String({ description: 'Who cancelled it.' })),
  txid: Nullable(Type.String({ description: 'The transaction under way, or that paid.' })),
  trouble: Nullable(Type.String({ description: 'What went wrong last.' })),
})
