import { Type } from 'typebox'
import { Nullable, PositiveInput, SunField, TextInput, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group, why } from './fields.ts'

const upTo = (maximum: number, minimum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

const terms = {
  group: Type.Optional(
    Nullable(TextInput('The group of clients; absent: everybody without a rule of their own.', 40)),
  ),
  margin_sun: upTo(10_000, 0, 'SUN per Energy above wholesale.'),
  change_max_sun: upTo(10_000, 1, 'The most that the price moves within an hour.'),
  amount_max: PositiveInput('Larger orders pay the schedule.'),
}

const Rule = Type.Object({
  id: Type.String(),
  group: Type.String({ description: 'Empty: everybody.' }),
  margin_sun: SunField('SUN per Energy above wholesale.'),
  change_max_sun: SunField('The most that the price moves within an hour.'),
  amount_max: SunField('Larger orders pay the schedule.'),
  began_at: TimeField('From when on it holds.'),
  ends_at: Nullable(TimeField('Until when; null: until it is ended.')),
})

const Half = Type.Object({
  accounts: Type.Integer({ description: 'Accounts, those that bought nothing included.' }),
  orders: Type.Integer({ description: 'Completed orders.' }),
  energy: SunField('Energy of them.'),
  revenue_trx: TrxField('What they brought.'),
  margin_trx: TrxField('Less wholesale at the time.'),
})

const Experiment = Type.Object({
  rule: Rule,
  tried: Half,
  others: Half,
  difference: Nullable(
    Type.Object(
      {
        mean_trx: TrxField('Margin per account: the half that pays by the rule, less the other.'),
        low_trx: TrxField('The true difference is above this and below the next, 95 times of 100.'),
        high_trx: TrxField('Its upper end.'),
      },
      { description: 'Null while a half has fewer than two accounts.' },
    ),
  ),
  unknown: Type.Integer({ description: 'Orders without a record of wholesale, in no sum.' }),
})

const Followed = Type.Object({
  schedule_sun: SunField("The schedule's price of this hour."),
  public_sun: SunField('What the price list shows now.'),
  wholesale_sun: Nullable(
    SunField('What 65,000 Energy cost us, by the Energy; null: not to be had.'),
  ),
  rules: Type.Array(
    Type.Object({
      ...Rule.properties,
      price_sun: Nullable(SunField('Its newest price; null: none yet.')),
    }),
  ),
  experiments: Type.Array(Experiment, { description: 'The newest first.' }),
})

export const getOperatorFollowed = defineRoute({
  name: 'getOperatorFollowed',
  method: 'GET',
  path: '/followed',
  auth: 'operator',
  group,
  summary: 'Prices that follow wholesale, and experiments with them',
  reply: { status: 200, schema: Followed, description: 'In force.' },
  refusals: [],
})

const Sold = {
  revenue_trx: TrxField('What it brought.'),
  margin_trx: TrxField('Less wholesale at the time.'),
}

export const postOperatorFollowedReplay = defineRoute({
  name: 'postOperatorFollowedReplay',
  method: 'POST',
  path: '/followed/replay',
  auth: 'operator',
  group,
  summary:
    "What a rule would have sold and earned of the last seven days' orders; nothing is changed",
  body: Type.Object(terms),
  reply: {
    status: 200,
    schema: Type.Object({
      orders: Type.Integer({ description: 'Completed orders.' }),
      energy: SunField('Energy of them.'),
      was: Type.Object(Sold, { description: 'As it was.' }),
      would: Type.Object(
        {
          orders: Type.Integer({ description: 'Those whose price would have covered their cost.' }),
          energy: SunField('Energy of them.'),
          ...Sold,
        },
        { description: 'By the rule.' },
      ),
      unknown: Type.Integer({ description: 'Orders without a record of wholesale, in no sum.' }),
    }),
    description: 'The effect.',
  },
  refusals: [],
})

export const postOperatorFollowed = defineRoute({
  name: 'postOperatorFollowed',
  method: 'POST',
  path: '/followed',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Let the prices of a group follow wholesale, or half of its accounts for some days',
  body: Type.Object({
    ...terms,
    days: Type.Optional(upTo(60, 1, 'An experiment of so many days.')),
    why,
  }),
  reply: { status: 200, schema: Rule, description: 'It holds from now on.' },
  refusals: ['changed_meanwhile', 'validation_error'],
})

export const postOperatorFollowedEnd = defineRoute({
  name: 'postOperatorFollowedEnd',
  method: 'POST',
  path: '/followed/end',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'End a rule or an experiment: its clients pay the schedule again, or by the common rule',
  body: Type.Object({
    group: terms.group,
    experiment: Type.Boolean({ description: 'The experiment, not the rule.' }),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({ group: Type.String({ description: 'The group.' }) }),
    description: 'It ends.',
  },
  refusals: ['not_found'],
})
