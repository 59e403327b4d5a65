import { Type } from 'typebox'
import { Nullable, TimeField, TrxField } from './fields.ts'

/** An invoice, as the workspace and the console show it. */
const State = Type.Unsafe<'issued' | 'due' | 'preview'>({
  type: 'string',
  enum: ['issued', 'due', 'preview'],
  description:
    'due: its month is over, and it is issued when its client looks. Neither it nor a preview has a number.',
})
const head = {
  month: Type.String({ description: 'UTC, such as 2026-11.' }),
  state: State,
  number: Nullable(Type.String({ description: 'Such as INV-000017; it never changes.' })),
  issued_at: Nullable(TimeField('The date of issue; its figures never change after it.')),
  total_trx: TrxField('Charges less credits.'),
}

const Line = Type.Object({
  line: Type.String({ description: 'A word for programs, such as api_purchases.' }),
  words: Type.String({ description: 'The same for people.' }),
  of_month: Type.String({ description: 'Month of the movements; an earlier one: they came late.' }),
  count: Type.Integer({ description: 'How many movements.' }),
  amount_trx: TrxField('What is charged, a credit is negative; of the account, signed.'),
})

export const InvoiceList = Type.Object({
  invoices: Type.Array(Type.Object(head), { description: 'Newest first.' }),
  has_issuer: Type.Boolean({ description: 'False: the operator has set no particulars.' }),
})

export const Particulars = Type.Object({
  name: Type.String(),
  address: Type.String({ description: 'Lines.' }),
  tax_number: Type.String(),
})

export const Invoice = Type.Object({
  ...head,
  account_id: Type.String(),
  from: Type.String({ description: 'First day, UTC.' }),
  to: Type.String({ description: 'Last day, UTC.' }),
  issuer: Type.Object({
    name: Type.String(),
    address: Type.String(),
    registration: Type.String(),
    tax_number: Type.String(),
    email: Type.String(),
    note: Type.String(),
  }),
  client: Particulars,
  products: Type.Array(
    Type.Object({
      product: Type.String(),
      lines: Type.Array(Line),
      total_trx: TrxField('Of this product.'),
    }),
  ),
  account: Type.Object(
    {
      opening_trx: TrxField('Balance before the first movement.'),
      lines: Type.Array(Line, { description: 'Deposits and payouts, which are no sales.' }),
      charged_trx: TrxField('The total of the invoice, as it left the balance.'),
      closing_trx: TrxField('Balance after the last movement.'),
    },
    { description: 'Statement of account.' },
  ),
})
