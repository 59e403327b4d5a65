import { Type } from 'typebox'
import { Delivery, deliveryId } from './delivery.ts'
import { Entry } from './entry.ts'
import {
  CountField,
  EnumField,
  INTEGER_MAX,
  Nullable,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
  TrxField,
} from './fields.ts'
import { Order } from './order.ts'
import { defineRoute } from './route.ts'

/** Keys, settings and statements: what a client does in the workspace and nowhere else. */
const group = 'Workspace'

const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  note: Type.String(),
  last_four: Type.String({ description: 'The end of the key, to tell it from others.' }),
  created_at: TimeField('When it was created.'),
  last_used_at: Nullable(TimeField('Its last request, to the minute; null: none yet.')),
})
const name = Type.Optional(TextInput('What it is for.', 60))
const note = Type.Optional(TextInput('Anything else, such as where it is kept.', 500))

export const getKeys = defineRoute({
  name: 'getKeys',
  method: 'GET',
  path: '/keys',
  auth: 'session',
  group,
  summary: 'API keys that work',
  reply: {
    status: 200,
    schema: Type.Object({ keys: Type.Array(Key) }),
    description: 'Newest first.',
  },
  refusals: [],
})

export const postKey = defineRoute({
  name: 'postKey',
  method: 'POST',
  path: '/keys',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'A new API key',
  body: Type.Object({ name, note }),
  reply: {
    status: 201,
    schema: Type.Object({
      ...Key.properties,
      api_key: Type.String({ description: 'Shown this once.' }),
    }),
    description: 'The key.',
  },
  refusals: ['key_limit'],
})

export const patchKey = defineRoute({
  name: 'patchKey',
  method: 'PATCH',
  path: '/keys/{id}',
  auth: 'session',
  group,
  summary: 'Change the name or the note of a key',
  params: Type.Object({ id: Type.String() }),
  body: Type.Object({ name, note }),
  reply: { status: 200, schema: Key, description: 'The key.' },
  refusals: ['key_not_found'],
})

export const deleteKey = defineRoute({
  name: 'deleteKey',
  method: 'DELETE',
  path: '/keys/{id}',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Revoke a key; it is dead everywhere within a second',
  params: Type.Object({ id: Type.String() }),
  reply: { status: 204, schema: Type.Null(), description: 'Revoked.' },
  refusals: ['key_not_found'],
})

const ApiRequest = Type.Object({
  id: Type.String(),
  at: TimeField('When it was answered.'),
  method: Type.String(),
  route: Type.String({ description: 'The template of its path, such as /v1/order/{id}.' }),
  status: CountField('HTTP status of the answer.'),
  duration_ms: Type.Number({ description: 'From the headers of the request to the answer.' }),
  request_id: Type.String({ description: 'X-Request-Id of the answer.' }),
  refusal: Nullable(Type.String({ description: 'The code of the refusal; null: none.' })),
})

export const getRequests = defineRoute({
  name: 'getRequests',
  method: 'GET',
  path: '/requests',
  auth: 'session',
  group,
  summary: 'Requests made with API keys: the last 10,000 of seven days, newest first',
  query: Type.Object({
    status: Type.Optional(EnumField(['2xx', '4xx', '5xx'], 'Only answers of this kind.')),
    route: Type.Optional(TextInput('Only this route.')),
    before: Type.Optional(TextInput('An id; older requests are listed.')),
    limit: RangeInput('Requests on a page.', 1, 100, 50),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      requests: Type.Array(ApiRequest),
      routes: Type.Array(Type.String(), { description: 'Routes that were called.' }),
      has_more: Type.Boolean(),
    }),
    description: 'One page.',
  },
  refusals: [],
})

const Settings = Type.Object({
  referral: Type.Object(
    {
      basis_points: Type.Integer({ description: 'Of the price of each order; 0: nothing.' }),
      orders: Type.Integer({ description: 'Orders that a commission was earned with.' }),
      earned_trx: TrxField('All commissions so far.'),
    },
    { description: 'What the account gets for those who signed up with its code.' },
  ),
  low_balance_trx: Nullable(TrxField('Below it, balance.low is sent; null: never.')),
})

export const getSettings = defineRoute({
  name: 'getSettings',
  method: 'GET',
  path: '/settings',
  auth: 'session',
  group,
  summary: 'Settings of the account',
  reply: { status: 200, schema: Settings, description: 'As they are.' },
  refusals: [],
})

export const patchSettings = defineRoute({
  name: 'patchSettings',
  method: 'PATCH',
  path: '/settings',
  auth: 'session',
  group,
  summary: 'Change settings',
  body: Type.Object({
    low_balance_trx: Nullable(TextInput('Decimal TRX, or null for none.', 24)),
  }),
  reply: { status: 200, schema: Settings, description: 'As they are now.' },
  refusals: ['validation_error'],
})

const Day = Type.Object({
  date: Type.String({ description: 'UTC.' }),
  balance_trx: TrxField('At the end of the day; of today, now.'),
  spent_trx: TrxField('Purchases and fees less refunds.'),
  spent_orders_trx: TrxField('The part of it for orders.'),
  spent_autoenergy_trx: TrxField('The part of it for AutoEnergy.'),
  spent_agent_trx: TrxField('The part of it for sales to customers.'),
  energy: Type.Integer({ description: 'Energy of the orders completed that day.' }),
  completed: Type.Integer({ description: 'Orders completed that day.' }),
  failed: Type.Integer({ description: 'Orders that failed that day.' }),
  delivery_seconds: Nullable(
    Type.Number({ description: 'From purchase to delegation, on average; null: none.' }),
  ),
})

export const getOverview = defineRoute({
  name: 'getOverview',
  method: 'GET',
  path: '/overview',
  auth: 'session',
  group,
  summary: 'Spending of the last 14 days',
  reply: {
    status: 200,
    schema: Type.Object({
      days: Type.Array(Day, { description: 'Oldest first, today last.' }),
      spent_week_trx: TrxField('In the last seven days.'),
      burn_cost_trx: Nullable(
        TrxField(
          'What the network would have burned for the Energy of these days; null: not known now.',
        ),
      ),
      discount_basis_points: Type.Integer({ description: 'Of every price of yours.' }),
    }),
    description: 'By day.',
  },
  refusals: [],
})

const month = Type.Object({ month: Type.String({ description: 'Such as 2026-11.' }) })

const Sum = Type.Object({
  entry_type: Type.String(),
  count: Type.Integer(),
  amount_trx: TrxField('Signed.'),
})

export const getStatement = defineRoute({
  name: 'getStatement',
  method: 'GET',
  path: '/statements/{month}',
  auth: 'session',
  group,
  summary: 'One month: what was there, what came and went, what is left',
  params: month,
  reply: {
    status: 200,
    schema: Type.Object({
      month: Type.String(),
      opening_trx: TrxField('Balance before the month.'),
      closing_trx: TrxField('Balance after it.'),
      sums: Type.Array(Sum, { description: 'By kind of entry.' }),
    }),
    description: 'The statement.',
  },
  refusals: ['statement_not_found'],
})

export const getMovements = defineRoute({
  name: 'getMovements',
  method: 'GET',
  path: '/statements/{month}/entries',
  auth: 'session',
  group,
  summary: 'Movements of one month, newest first',
  params: month,
  query: Type.Object({
    entry_type: Type.Optional(TextInput('One kind of entry; all when left out.', 60)),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      entries: Type.Array(Entry, { description: 'At most 500.' }),
      has_more: Type.Boolean({ description: 'There are older ones; the file has all of them.' }),
    }),
    description: 'The movements.',
  },
  refusals: ['statement_not_found'],
})

export const getStatementFile = defineRoute({
  name: 'getStatementFile',
  method: 'GET',
  path: '/statements/{month}/csv',
  auth: 'session',
  group,
  summary: 'Every entry of a month, as a table',
  params: month,
  reply: { status: 200, schema: Type.String(), description: 'CSV.' },
  refusals: ['statement_not_found'],
})

export const getReceiver = defineRoute({
  name: 'getReceiver',
  method: 'GET',
  path: '/receiver',
  auth: 'session',
  group,
  summary: 'Whether an address can receive Energy, and how much it has',
  query: Type.Object({ address: TextInput('Address to look at.', 64) }),
  reply: {
    status: 200,
    schema: Type.Object({
      can_receive: Type.Boolean(),
      message: Type.String({ description: 'In words.' }),
      energy_available: Nullable(
        Type.Integer({ description: 'Energy it can spend now; null when the node did not say.' }),
      ),
    }),
    description: 'What the chain says.',
  },
  refusals: [],
})

const Attempt = Type.Object({
  at: TimeField('When it ended.'),
  duration_ms: Nullable(CountField('From its start to the whole answer.')),
  response_status: Nullable(CountField('HTTP status, if there was an answer.')),
  reason: Nullable(Type.String({ description: 'Why it failed, in a sentence.' })),
  answer: Nullable(Type.String({ description: 'The beginning of an answer that is not 2xx.' })),
})

export const getWebhookDelivery = defineRoute({
  name: 'getWebhookDelivery',
  method: 'GET',
  path: '/webhooks/{id}/deliveries/{delivery_id}',
  auth: 'session',
  group,
  summary: 'One delivery: what was sent, and what came of each attempt',
  params: deliveryId,
  reply: {
    status: 200,
    description: 'The delivery.',
    schema: Type.Object({
      ...Delivery.properties,
      url: Type.String({ description: 'Of the webhook, as it is now.' }),
      headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
        description: 'Of the last attempt, signed with the secret as it is now.',
      }),
      body: Type.String({ description: 'The bytes that are signed and sent.' }),
      log: Type.Array(Attempt, { description: 'Oldest first.' }),
    }),
  },
  refusals: ['not_found'],
})

const STATES = ['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED'] as const
const SOURCES = ['api', 'workspace', 'agent', 'checkout'] as const
const choice = <const W extends string>(words: readonly W[], description: string) =>
  Type.Optional(Type.Unsafe<W>({ type: 'string', enum: [...words], description }))
const day = (description: string) =>
  Type.Optional(TextInput(`${description} Such as 2026-11-18, UTC.`, 10))

export const getOrderSearch = defineRoute({
  name: 'getOrderSearch',
  method: 'GET',
  path: '/orders/search',
  auth: 'session',
  group,
  summary: 'Orders by state, source, day and address, with their sums',
  query: Type.Object({
    page: RangeInput('Page, from 1.', 1, INTEGER_MAX, 1),
    page_size: RangeInput('Orders on a page.', 1, 100, 20),
    status: choice(STATES, 'Only orders in this state.'),
    source: choice(SOURCES, 'Only orders that were bought this way.'),
    from: day('First day.'),
    to: day('Last day.'),
    receiver_address: Type.Optional(TextInput('Part of the receiver or buyer address.')),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      orders: Type.Array(Order, { description: 'Newest first.' }),
      total: CountField('Orders on all pages.'),
      energy: CountField('Energy of those that were completed.'),
      spent_trx: TrxField('What those cost.'),
      is_whole: Type.Boolean({
        description: 'False where the account has more than the 20,000 orders that are searched.',
      }),
    }),
    description: 'One page, and the sums of all pages.',
  },
  refusals: ['validation_error'],
})

export const getAgentReport = defineRoute({
  name: 'getAgentReport',
  method: 'GET',
  path: '/agent/report',
  auth: 'session',
  group,
  summary: 'Sales of the last 30 days by day, and payments that were not sold, by reason',
  reply: {
    status: 200,
    schema: Type.Object({
      days: Type.Array(
        Type.Object({
          date: Type.String({ description: 'UTC.' }),
          sales: CountField('Payments sold.'),
          revenue_sun: SunField('What customers paid for them.'),
          cost_sun: SunField('What their Energy cost.'),
        }),
        { description: 'Oldest first, today last.' },
      ),
      skipped: Type.Array(
        Type.Object({
          reason: Type.String(),
          payments: CountField('How many.'),
          amount_sun: SunField('What was paid.'),
        }),
        { description: 'The most frequent reason first.' },
      ),
    }),
    description: 'By day and by reason.',
  },
  refusals: [],
})
