import { Type } from 'typebox'
import { CountField, EnumField, Nullable, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const Name = Type.String({ description: 'The marketplace.' })
const Day = (description: string) =>
  Type.String({ pattern: '^20\\d\\d-\\d\\d-\\d\\d$', description, examples: ['2026-11-18'] })

const Source = Type.Object({
  provider: Name,
  way: EnumField(
    ['orders', 'balance', 'none'],
    'By its list of orders, by its balance alone, or not at all: its API tells neither.',
  ),
  compared_at: Nullable(TimeField('The last comparison that succeeded.')),
  next_at: TimeField('The next one.'),
  trouble: Nullable(Type.String({ description: 'Why the last try did not succeed.' })),
  reading: Type.Boolean({ description: 'Its statement is being read.' }),
  open: CountField('Differences that wait for a person.'),
  claimed: CountField('Differences that were claimed back and are not credited yet.'),
})

const StatementDay = Type.Object({
  provider: Name,
  day: Day('Of the orders, in UTC.'),
  theirs_trx: TrxField('What it charged, less what it gave back.'),
  ours_trx: TrxField('What was booked for the same orders.'),
  matched: CountField('Orders that both have.'),
  open: CountField('Differences of the day that are open or claimed.'),
  compared_at: TimeField('When it was compared last.'),
})

const Difference = Type.Object({
  id: Type.String(),
  provider: Name,
  day: Day('Of the order.'),
  kind: EnumField(
    ['never_asked', 'other_amount', 'not_charged', 'charged_twice', 'refunded', 'balance'],
    'What differs.',
  ),
  order_id: Nullable(Type.String({ description: 'Its own number of the order.' })),
  attempt_id: Nullable(Type.String({ description: 'Our attempt.' })),
  theirs_trx: TrxField('By the marketplace.'),
  ours_trx: TrxField('By our books, with what was decided before.'),
  difference_trx: TrxField('Theirs less ours.'),
  state: EnumField(['open', 'claimed', 'accepted', 'dismissed', 'closed'], 'What became of it.'),
  first_seen_at: TimeField('When it was found.'),
  last_seen_at: TimeField('When it was seen last.'),
  decided_by: Nullable(Type.String({ description: 'Who decided it.' })),
  why: Nullable(Type.String({ description: 'The reason that was given.' })),
  decided_at: Nullable(TimeField('When it was decided.')),
  note: Nullable(Type.String({ description: 'Why it closed itself.' })),
})

const RESOLUTIONS = ['accept', 'claim', 'dismiss'] as const
const resolution = EnumField(
  RESOLUTIONS,
  'Book their figure; claim the money back and wait for the credit; or leave both as they are.',
)

export const getOperatorStatements = defineRoute({
  name: 'getOperatorStatements',
  method: 'GET',
  path: '/books/statements',
  auth: 'operator',
  group,
  summary: 'What marketplaces say they charged, against the books; what differs',
  query: Type.Object({ from: Day('First day, in UTC.'), to: Day('Last day.') }),
  reply: {
    status: 200,
    schema: Type.Object({
      sources: Type.Array(Source),
      days: Type.Array(StatementDay, { description: 'Newest first; at most 1,000.' }),
      differences: Type.Array(Difference, {
        description: 'Of all days; those that wait first. At most 500.',
      }),
    }),
    description: 'All marketplaces.',
  },
  refusals: ['validation_error'],
})

export const postOperatorStatementRun = defineRoute({
  name: 'postOperatorStatementRun',
  method: 'POST',
  path: '/books/statements/run',
  auth: 'operator',
  group,
  summary: 'Compare statements now; a worker does it within a minute',
  body: Type.Object({
    provider: Type.Optional(Type.String({ maxLength: 40, description: 'Only this marketplace.' })),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({ providers: Type.Array(Name) }),
    description: 'Those that are compared.',
  },
  refusals: ['validation_error'],
})

export const getOperatorStatementEffect = defineRoute({
  name: 'getOperatorStatementEffect',
  method: 'GET',
  path: '/books/statements/{id}/effect',
  auth: 'operator',
  group,
  summary: 'What a decision would book; nothing is changed',
  params: byId,
  query: Type.Object({ resolution }),
  reply: {
    status: 200,
    schema: Type.Object({
      booked_trx: TrxField('What would be booked as a cost; negative: taken from the cost.'),
      sentence: Type.String({ description: 'The same, with the accounts of the ledger.' }),
    }),
    description: 'The effect.',
  },
  refusals: ['validation_error'],
})

export const postOperatorStatementDecision = defineRoute({
  name: 'postOperatorStatementDecision',
  method: 'POST',
  path: '/books/statements/{id}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Decide a difference; accepting books it',
  params: byId,
  body: Type.Object({
    resolution,
    difference_trx: Type.String({
      maxLength: 30,
      description: 'As it was shown; refused when it has changed meanwhile.',
    }),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      resolution: Type.String(),
      booked_trx: TrxField('Booked as a cost.'),
    }),
    description: 'Decided.',
  },
  refusals: ['not_found', 'validation_error'],
})
