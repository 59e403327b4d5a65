import { Type } from 'typebox'
import {
  CountInput,
  Nullable,
  PositiveInput,
  SunField,
  TextInput,
  TimeField,
  TrxField,
} from '../fields.ts'
import { Plan, PlanInput } from '../plan.ts'
import { defineRoute } from '../route.ts'
import { byId, Config, group, why } from './fields.ts'

const Provider = Type.Object({
  name: Type.String(),
  enabled: Type.Boolean(),
  healthy: Type.Boolean({ description: 'Orders can go to it now.' }),
  trouble: Nullable(Type.String({ description: 'Why nothing can be had from it.' })),
  price_sun: Nullable(SunField('Wholesale price of one Energy.')),
  capacity: Nullable(SunField('Energy it offers.')),
  fill_rate_bps: Type.Integer({ description: 'Of ten thousand orders, how many it fills.' }),
  failures: Type.Integer({ description: 'In a row.' }),
  shut_until: Nullable(TimeField('Not asked until then.')),
  seen_at: Nullable(TimeField('When its offer was read.')),
  float_trx: Nullable(TrxField('Prepaid at it, as it last said.')),
  float_seen_at: Nullable(TimeField('When it said so.')),
})

export const getOperatorProviders = defineRoute({
  name: 'getOperatorProviders',
  method: 'GET',
  path: '/providers',
  auth: 'operator',
  group,
  summary: 'Providers: health, price, fill rate and switch',
  reply: {
    status: 200,
    schema: Type.Object({ providers: Type.Array(Provider) }),
    description: 'All of them.',
  },
  refusals: [],
})

const schedule = Type.Array(PositiveInput('SUN per Energy.'), {
  minItems: 24,
  maxItems: 24,
  description: 'One price per UTC hour.',
})
/** What else a change may name; what is left out stays. */
const bounds = {
  min_amount: Type.Optional(PositiveInput('Smallest order.')),
  max_amount: Type.Optional(PositiveInput('Largest order.')),
  margin_floor_sun: Type.Optional(CountInput('What must stay of each Energy.')),
}
const Terms = Type.Object({
  schedule: Type.Array(SunField('SUN per Energy.')),
  min_amount: SunField('Smallest order.'),
  max_amount: SunField('Largest order.'),
  margin_floor_sun: SunField('What must stay of each Energy.'),
})

export const getOperatorSchedule = defineRoute({
  name: 'getOperatorSchedule',
  method: 'GET',
  path: '/schedule',
  auth: 'operator',
  group,
  summary: 'Prices by the hour',
  reply: { status: 200, schema: Terms, description: 'In force.' },
  refusals: [],
})

const AtRisk = Type.Object({
  config_id: Type.String(),
  account_id: Type.String(),
  title: Type.String(),
  base_payment_sun: SunField('What its customers pay for one unit.'),
  cost_max_sun: SunField('What one unit would cost its owner in the dearest hour.'),
  outside: Type.Boolean({ description: 'One unit could not be ordered: it would sell nothing.' }),
  already: Type.Boolean({ description: 'At risk under the terms in force, too.' }),
})

export const postOperatorSchedulePreview = defineRoute({
  name: 'postOperatorSchedulePreview',
  method: 'POST',
  path: '/schedule/preview',
  auth: 'operator',
  group,
  summary: 'What a schedule would do to the margin and to agents; nothing is changed',
  body: Type.Object({ schedule, ...bounds }),
  reply: {
    status: 200,
    schema: Type.Object({
      wholesale_sun: Nullable(
        SunField(
          'What 65,000 Energy costs us now, by the Energy, rounded up; null: not to be had.',
        ),
      ),
      hours: Type.Array(
        Type.Object({
          hour: Type.Integer({ description: 'UTC.' }),
          was_sun: SunField('Price in force.'),
          price_sun: SunField('Price proposed.'),
          margin_sun: Nullable(SunField('Left of each Energy at the wholesale price of now.')),
        }),
      ),
      hours_below_cost: Type.Integer({ description: 'In these nothing would be sold.' }),
      last_week: Type.Object(
        {
          energy: SunField('Energy of the completed orders.'),
          revenue_trx: TrxField('What they brought.'),
          proposed_trx: TrxField('What the same orders would have brought.'),
        },
        { description: 'Sales of the last seven days under this schedule.' },
      ),
      agents_at_risk: Type.Array(AtRisk),
    }),
    description: 'The effect.',
  },
  refusals: [],
})

export const postOperatorSchedule = defineRoute({
  name: 'postOperatorSchedule',
  method: 'POST',
  path: '/schedule',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Change the prices',
  body: Type.Object({
    schedule,
    ...bounds,
    was: Type.Optional({
      ...schedule,
      description: 'What was looked at; refused if it changed since.',
    }),
    was_bounds: Type.Optional(
      Type.Object(bounds, { description: 'The same for what else is changed.' }),
    ),
    why,
  }),
  reply: { status: 200, schema: Terms, description: 'In force now.' },
  refusals: ['changed_meanwhile', 'validation_error'],
})

export const getOperatorPlans = defineRoute({
  name: 'getOperatorPlans',
  method: 'GET',
  path: '/plans',
  auth: 'operator',
  group,
  summary: 'AutoEnergy plans',
  reply: {
    status: 200,
    schema: Type.Object({ plans: Type.Array(Plan) }),
    description: 'That can be had now.',
  },
  refusals: [],
})

export const postOperatorPlans = defineRoute({
  name: 'postOperatorPlans',
  method: 'POST',
  path: '/plans',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Replace the plans; subscriptions keep the plan they began with',
  body: Type.Object({
    plans: Type.Array(PlanInput, {
      maxItems: 50,
      description: 'All plans; plans that are left out are withdrawn.',
    }),
    why,
  }),
  reply: {
    status: 200,
    schema: Type.Object({ plans: Type.Array(Plan) }),
    description: 'As they are now.',
  },
  refusals: ['validation_error'],
})

export const getOperatorAgents = defineRoute({
  name: 'getOperatorAgents',
  method: 'GET',
  path: '/agent/configs',
  auth: 'operator',
  group,
  summary: "Agents' configurations; those paused by support first",
  query: Type.Object({ account: Type.Optional(TextInput('Id of an account.', 36)) }),
  reply: {
    status: 200,
    schema: Type.Object({ configs: Type.Array(Config) }),
    description: 'At most 200.',
  },
  refusals: [],
})

export const postOperatorAgentPause = defineRoute({
  name: 'postOperatorAgentPause',
  method: 'POST',
  path: '/agent/configs/{id}/pause',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Pause a configuration; its owner cannot resume it',
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Config, description: 'Paused.' },
  refusals: ['not_found'],
})

export const postOperatorAgentRelease = defineRoute({
  name: 'postOperatorAgentRelease',
  method: 'POST',
  path: '/agent/configs/{id}/release',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: "End support's pause; its owner may resume it",
  params: byId,
  body: Type.Object({ why }),
  reply: { status: 200, schema: Config, description: 'Still paused, by its owner now.' },
  refusals: ['not_found'],
})
