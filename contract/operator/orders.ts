import { Type } from 'typebox'
import {
  EnumField,
  Nullable,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
  TrxField,
} from '../fields.ts'
import { orderFields, ReclaimCredit } from '../order.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const STATUSES = ['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED'] as const
const Order = Type.Object({
  account_id: Type.String(),
  account_name: Type.String({ description: 'Name or sign-in of the account.' }),
  ...orderFields,
})

export const getOperatorOrders = defineRoute({
  name: 'getOperatorOrders',
  method: 'GET',
  path: '/orders',
  auth: 'operator',
  group,
  summary: 'Orders of all accounts; newest first',
  query: Type.Object({
    status: Type.Optional(EnumField(STATUSES, 'Only these.')),
    account: Type.Optional(TextInput('Id of an account.', 36)),
    receiver: Type.Optional(TextInput('Address.', 34)),
    before: Type.Optional(TextInput('The last id of the page before.', 36)),
    limit: RangeInput('How many.', 1, 100, 50),
  }),
  reply: {
    status: 200,
    schema: Type.Object({ orders: Type.Array(Order) }),
    description: 'The orders.',
  },
  refusals: [],
})

const Step = Type.Object({
  provider: Type.String(),
  energy: SunField('Energy of the part.'),
  cost_trx: TrxField('What it costs us.'),
  part_state: Type.String(),
  attempt_state: Nullable(Type.String({ description: 'Null: nobody has been asked yet.' })),
  reason: Nullable(Type.String({ description: 'What went wrong, or what was said.' })),
  txid: Nullable(Type.String({ description: 'The delegation.' })),
  at: Nullable(TimeField('When it was tried.')),
  delegated_at: Nullable(TimeField('When a block held it.')),
  reclaimed_at: Nullable(TimeField('When it came back.')),
})

export const getOperatorOrder = defineRoute({
  name: 'getOperatorOrder',
  method: 'GET',
  path: '/orders/{id}',
  auth: 'operator',
  group,
  summary: 'One order: who was asked, why, and what came of it',
  params: byId,
  reply: {
    status: 200,
    schema: Type.Object({
      order: Order,
      deadline_at: Nullable(TimeField('Until when it must be complete.')),
      choice: Type.Unsafe<unknown>({ description: 'Offers that were considered, and why.' }),
      steps: Type.Array(Step),
      credits: Type.Array(ReclaimCredit, { description: 'For Energy that was taken back early.' }),
      history: Type.Array(
        Type.Object({
          at: TimeField('When.'),
          kind: EnumField(
            ['order', 'money', 'delivery', 'chain', 'event', 'webhook'],
            'Of what kind.',
          ),
          what: Type.String({ description: 'What happened, in words.' }),
          reference: Nullable(
            Type.String({ description: 'The transaction, movement, event or delivery.' }),
          ),
        }),
        { description: 'All that happened to it, in order of time.' },
      ),
      proof_path: Type.String({
        description: 'Of the public proof, for the client; it answers once the order is completed.',
      }),
    }),
    description: 'The order.',
  },
  refusals: ['not_found'],
})

const Undecided = Type.Object({
  id: Type.String(),
  order_id: Type.String(),
  provider: Type.String(),
  energy: SunField('Energy that was asked for.'),
  cost_trx: TrxField('What we owe for it if it came.'),
  receiver: Type.String(),
  reason: Type.String(),
  evidence: Type.Unsafe<unknown>({ description: 'What the provider said and the chain showed.' }),
  since: TimeField('Since when it is undecided.'),
  decidable: Type.Boolean({
    description: 'False while its order is open: the chain may still tell.',
  }),
})

export const getOperatorUndecided = defineRoute({
  name: 'getOperatorUndecided',
  method: 'GET',
  path: '/undecided',
  auth: 'operator',
  group,
  summary: 'Deliveries that only a person can settle, with the evidence; oldest first',
  reply: {
    status: 200,
    schema: Type.Object({ undecided: Type.Array(Undecided) }),
    description: 'The queue.',
  },
  refusals: [],
})

const DECISIONS = ['delivered', 'partial', 'absent'] as const

export const getOperatorDecisionEffect = defineRoute({
  name: 'getOperatorDecisionEffect',
  method: 'GET',
  path: '/undecided/{id}/effect',
  auth: 'operator',
  group,
  summary: 'What a decision would book; nothing is changed',
  params: byId,
  query: Type.Object({
    decision: EnumField(DECISIONS, 'What became of it.'),
    energy: Type.Optional(Type.Integer({ minimum: 1, description: 'For partial: what came.' })),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      energy: SunField('Energy that came.'),
      booked_trx: TrxField('What would be booked as our cost.'),
      sentence: Type.String({ description: 'The same, with the accounts of the ledger.' }),
    }),
    description: 'The effect.',
  },
  refusals: ['validation_error'],
})

export const postOperatorDecision = defineRoute({
  name: 'postOperatorDecision',
  method: 'POST',
  path: '/undecided/{id}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Decide what became of a delivery; what we owe the provider is booked',
  params: byId,
  body: Type.Object({
    decision: EnumField(DECISIONS, 'What became of it.'),
    energy: Type.Optional(Type.Integer({ minimum: 1, description: 'For partial: what came.' })),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      decision: Type.String(),
      booked_trx: TrxField('Booked as our cost.'),
    }),
    description: 'Decided.',
  },
  refusals: ['not_found', 'validation_error'],
})
