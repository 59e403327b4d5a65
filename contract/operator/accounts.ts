import { Type } from 'typebox'
import { Nullable, RangeInput, TextInput, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { Adjustment, byId, group, Payout, why } from './fields.ts'

/** Null: as for everybody. */
const OwnLimits = Type.Object({
  requests_per_minute: Nullable(Type.Integer()),
  unverified_credit_trx: Nullable(TrxField('What it may spend before its block is final.')),
  max_amount: Nullable(Type.Integer({ description: 'Energy of its largest order.' })),
})

/** Shown with an account: why it cannot buy. */
const Blocked = Nullable(
  Type.Object({
    reason: Type.String({ description: 'What the client reads.' }),
    since: TimeField('Since when.'),
  }),
)

export const Account = Type.Object({
  id: Type.String(),
  name: Type.String(),
  login: Nullable(Type.String({ description: 'E-mail address or wallet it signs in by.' })),
  wallet: Type.String(),
  created_at: TimeField('When it was opened.'),
  present: Type.Boolean({ description: 'False: its person was removed.' }),
  balance_trx: TrxField('Balance.'),
  spendable_trx: TrxField('What can be spent of it.'),
  vip_discount_bps: Type.Integer({ description: 'Discount in basis points.' }),
  group: Nullable(Type.String({ description: 'Name of its group; null: in none.' })),
  blocked: Blocked,
  limits: OwnLimits,
})

export const getOperatorAccounts = defineRoute({
  name: 'getOperatorAccounts',
  method: 'GET',
  path: '/accounts',
  auth: 'operator',
  group,
  summary: 'Find accounts by id, name, e-mail, group, wallet or one of their addresses',
  query: Type.Object({
    search: Type.Optional(
      TextInput('Part of a name or e-mail, or a whole group, id or address.', 254),
    ),
    limit: RangeInput('How many.', 1, 100, 50),
  }),
  reply: {
    status: 200,
    schema: Type.Object({ accounts: Type.Array(Account) }),
    description: 'Newest first.',
  },
  refusals: [],
})

export const getOperatorAccount = defineRoute({
  name: 'getOperatorAccount',
  method: 'GET',
  path: '/accounts/{id}',
  auth: 'operator',
  group,
  summary: 'One account with its last entries',
  params: byId,
  reply: {
    status: 200,
    schema: Type.Object({
      ...Account.properties,
      deposit_address: Type.String(),
      deposited_trx: TrxField('Credited and not reverted.'),
      accepted: Type.Array(
        Type.Object({
          document: Type.String({ description: 'terms or privacy.' }),
          version: Type.String(),
          at: TimeField('When.'),
          place: Type.String({ description: 'sign_up or workspace.' }),
        }),
        { description: 'Terms and privacy notices that it accepted; newest first.' },
      ),
      entries: Type.Array(
        Type.Object({
          entry_type: Type.String(),
          amount_trx: TrxField('Signed.'),
          balance_after_trx: TrxField('Afterwards.'),
          description: Type.String(),
          created_at: TimeField('When.'),
        }),
      ),
    }),
    description: 'The account.',
  },
  refusals: ['not_found'],
})

export const postOperatorDiscount = defineRoute({
  name: 'postOperatorDiscount',
  method: 'POST',
  path: '/accounts/{id}/discount',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Give an account a VIP discount',
  params: byId,
  body: Type.Object({
    basis_points: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: '100 are one per cent.',
    }),
    why,
  }),
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: ['not_found'],
})

export const getOperatorAdjustments = defineRoute({
  name: 'getOperatorAdjustments',
  method: 'GET',
  path: '/adjustments',
  auth: 'operator',
  group,
  summary: 'Adjustments; those that wait for a second operator first',
  reply: {
    status: 200,
    schema: Type.Object({
      limit_trx: TrxField('What one operator may book alone within 24 hours.'),
      adjustments: Type.Array(Adjustment),
    }),
    description: 'At most 100.',
  },
  refusals: [],
})

export const postOperatorAdjustment = defineRoute({
  name: 'postOperatorAdjustment',
  method: 'POST',
  path: '/accounts/{id}/adjustments',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Correct a balance; above the limit it waits for a second operator',
  params: byId,
  body: Type.Object({
    amount_trx: TextInput('Decimal TRX; negative takes from the client.', 24),
    why,
  }),
  reply: { status: 200, schema: Adjustment, description: 'Booked, or waiting for approval.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorAdjustmentApproval = defineRoute({
  name: 'postOperatorAdjustmentApproval',
  method: 'POST',
  path: '/adjustments/{id}/approve',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "Approve another operator's adjustment; it is booked at once",
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Adjustment, description: 'Booked.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorAdjustmentRefusal = defineRoute({
  name: 'postOperatorAdjustmentRefusal',
  method: 'POST',
  path: '/adjustments/{id}/refuse',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Refuse an adjustment that waits',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Adjustment, description: 'Refused.' },
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorPayout = defineRoute({
  name: 'postOperatorPayout',
  method: 'POST',
  path: '/accounts/{id}/payouts',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "Ask for a payout of a client's balance; another operator approves it",
  params: byId,
  body: Type.Object({
    to: TextInput('TRON address.', 64),
    amount_trx: TextInput('Decimal TRX.', 24),
    why,
  }),
  reply: { status: 200, schema: Payout, description: 'Waiting for approval.' },
  refusals: ['not_found', 'validation_error'],
})
