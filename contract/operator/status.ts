import { Type } from 'typebox'
import { Nullable, RangeInput, SunField, TextInput, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group, why } from './fields.ts'

const Answer = Type.Object({
  ok: Type.Boolean(),
  sentence: Type.String({ description: 'The answer in words.' }),
})

export const Reconciliation = Type.Object({
  read_at: TimeField('When the chain was asked.'),
  surplus_trx: TrxField('Money on the chain less what is owed; below zero is a shortage.'),
  deposit_addresses_trx: TrxField('On deposit addresses, solid.'),
  hot_trx: TrxField('On the hot wallet, solid.'),
  floats_trx: TrxField('Prepaid at providers; not part of the surplus.'),
  clients_trx: TrxField('Owed to clients.'),
  escrow_trx: TrxField('Price of orders under way.'),
  not_verified_trx: TrxField('Credit in blocks that may still go.'),
})

const Stuck = Type.Object({
  what: Type.String({ description: 'A stable word for it.' }),
  count: SunField('How many.'),
  sentence: Type.String({ description: 'What it means.' }),
  since: Nullable(TimeField('Since when, where that is known.')),
  page: Type.String({ description: 'Where it is dealt with in the console.' }),
})

const Size = Type.Object({
  energy: SunField('Energy of the order.'),
  price_sun: SunField('Its price without a discount.'),
  cost_sun: Nullable(SunField('What it would cost us; null: nobody offers this much.')),
  sold: Type.Boolean({ description: 'Whether it can be bought now.' }),
  why: Nullable(Type.String({ description: 'Why not; null: it can.' })),
})

const PutAside = Type.Object({
  loop: Type.String({ description: 'The part of the service that works on it.' }),
  subject: Type.String({ description: 'What it is, and its id.' }),
  error: Type.String({ description: 'Of the last try.' }),
  failures: Type.Integer({ description: 'How many tries failed.' }),
  since: TimeField('Of the first failure.'),
  next_try_at: TimeField('Of the next try.'),
})

export const getOperatorStatus = defineRoute({
  name: 'getOperatorStatus',
  method: 'GET',
  path: '/status',
  auth: 'operator',
  group,
  summary: 'Are we selling, are we solvent, is anything stuck',
  reply: {
    status: 200,
    schema: Type.Object({
      now: TimeField('Business time.'),
      selling: Type.Object({
        ...Answer.properties,
        price_sun: SunField('Retail price of one Energy in this hour.'),
        wholesale_sun: Nullable(
          SunField('What 65,000 Energy would cost us now; null: not to be had.'),
        ),
        sizes: Type.Array(Size, {
          description: 'The smallest and the largest order, and some between them.',
        }),
      }),
      solvent: Type.Object({
        ...Answer.properties,
        reconciliation: Nullable(Reconciliation),
      }),
      stuck: Type.Object({ ...Answer.properties, work: Type.Array(Stuck) }),
      books: Type.Object(Answer.properties, {
        description: 'When the invariants of the books were last proven.',
      }),
      scanner: Type.Object({
        block: Type.Integer({ description: 'The newest block read; 0 before the first.' }),
        solid_block: Type.Integer({ description: 'Up to here nothing changes any more.' }),
        lag_seconds: Type.Integer({ description: 'Age of the newest block read.' }),
        trouble: Nullable(
          Type.String({ description: 'The block that cannot be read, and why; null: none.' }),
        ),
      }),
      bandwidth: Type.Object(
        {
          ...Answer.properties,
          left: Nullable(SunField('Bytes that own stake has now; null: the node does not answer.')),
          per_day: Nullable(SunField('Bytes that it has in a day.')),
          orders_left: Nullable(SunField('Orders with their reclaims that they are enough for.')),
          burned_day_trx: TrxField('Burned for lack of it within a day.'),
        },
        { description: 'Bandwidth of own stake, which each delegation and each reclaim needs.' },
      ),
      put_aside: Type.Array(PutAside, {
        description: 'Things that failed and are tried again; at most 100, the longest first.',
      }),
    }),
    description: 'Three answers with their evidence.',
  },
  refusals: [],
})

export const getOperatorCapacity = defineRoute({
  name: 'getOperatorCapacity',
  method: 'GET',
  path: '/capacity',
  auth: 'operator',
  group,
  summary: 'Own Energy that is free now, and as delegations come back over the next 24 hours',
  reply: {
    status: 200,
    schema: Type.Object({
      free_now: SunField('Energy.'),
      hours: Type.Array(
        Type.Object({
          at: TimeField('End of the hour.'),
          returning: SunField('Energy that comes back within it.'),
          free: SunField('Free by then, if nothing is sold meanwhile.'),
        }),
      ),
    }),
    description: 'Now, and 24 hours.',
  },
  refusals: [],
})

export const Switch = Type.Object({
  name: Type.String({
    description: 'selling, autoenergy, agent, sweeps, signing, webhooks, or provider:NAME.',
  }),
  enabled: Type.Boolean(),
  reason: Type.String({ description: 'Reason of the last change, if one was given.' }),
  stops: Type.String({ description: 'What stops when it is off.' }),
})

export const getOperatorSwitches = defineRoute({
  name: 'getOperatorSwitches',
  method: 'GET',
  path: '/switches',
  auth: 'operator',
  group,
  summary: 'All kill switches',
  reply: {
    status: 200,
    schema: Type.Object({ switches: Type.Array(Switch) }),
    description: 'As they are.',
  },
  refusals: [],
})

export const postOperatorSwitch = defineRoute({
  name: 'postOperatorSwitch',
  method: 'POST',
  path: '/switches/{name}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Turn a kill switch; every node obeys at once. Signing is turned on elsewhere',
  params: Type.Object({ name: Type.String({ description: 'Of the switch.' }) }),
  body: Type.Object({ enabled: Type.Boolean({ description: 'False stops it.' }), why }),
  reply: { status: 200, schema: Switch, description: 'As it is now.' },
  refusals: ['not_found', 'validation_error'],
})

const Action = Type.Object({
  id: Type.String(),
  at: TimeField('When.'),
  who: Type.String(),
  what: Type.String({ description: 'A stable word for the deed.' }),
  subject: Type.String({ description: 'Of what.' }),
  why: Type.String(),
  done: Nullable(
    Type.Boolean({ description: 'Null: it was begun, and nobody knows how it ended.' }),
  ),
  change: Type.Unsafe<unknown>({
    description: 'What it was before and what it is after, or why it was refused.',
  }),
})

export const getOperatorActions = defineRoute({
  name: 'getOperatorActions',
  method: 'GET',
  path: '/actions',
  auth: 'operator',
  group,
  summary: 'Who did what, why, and what it changed; newest first',
  query: Type.Object({
    limit: RangeInput('How many.', 1, 200, 50),
    before: Type.Optional(TextInput('The last id of the page before.', 36)),
    who: Type.Optional(TextInput('Only by this operator, as the log has them.', 254)),
    subject: Type.Optional(TextInput('Only on this thing: an id, an e-mail, a switch.', 254)),
    from: Type.Optional(TextInput('First day, in UTC.', 10)),
    to: Type.Optional(TextInput('Last day, in UTC.', 10)),
  }),
  reply: {
    status: 200,
    schema: Type.Object({ actions: Type.Array(Action) }),
    description: 'The log of actions.',
  },
  refusals: ['validation_error'],
})

const Finding = Type.Object({
  id: Type.String(),
  invariant: Type.String(),
  promise: Type.String({ description: 'What should have held.' }),
  example: Type.Unsafe<unknown>({ description: 'A row that breaks it.' }),
  found_at: TimeField('When.'),
})

export const getOperatorFindings = defineRoute({
  name: 'getOperatorFindings',
  method: 'GET',
  path: '/findings',
  auth: 'operator',
  group,
  summary: 'What the auditor found broken; newest first',
  reply: {
    status: 200,
    schema: Type.Object({ findings: Type.Array(Finding) }),
    description: 'At most 50.',
  },
  refusals: [],
})

export const postOperatorAudit = defineRoute({
  name: 'postOperatorAudit',
  method: 'POST',
  path: '/findings/check',
  auth: 'operator',
  group,
  summary: 'Check the books now; selling stops when they do not add up',
  reply: {
    status: 200,
    schema: Type.Object({
      invariant: Nullable(
        Type.String({ description: 'The first that is broken; null: all hold.' }),
      ),
    }),
    description: 'The result.',
  },
  refusals: [],
})
