import { Type } from 'typebox'
import {
  AddressField,
  AnyAddressInput,
  BatchResult,
  CountField,
  EnumField,
  INTEGER_MAX,
  Nullable,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
  TrxField,
  TrxInput,
  TxidField,
} from './fields.ts'
import { planFields } from './plan.ts'
import { defineRoute } from './route.ts'

const group = 'AutoEnergy'
const base = '/autoenergy/subscriptions'
const one = `${base}/{address}` as const

const params = Type.Object({ address: Type.String({ description: 'Covered address.' }) })

const ownership_signature = Type.Optional(
  TextInput(
    'signMessageV2, by the key of the address, of "<account_id>:<address>". Needed only for an address that is barred because others used its Energy under another account.',
  ),
)

const budgets = {
  daily_budget_trx: Type.Optional(
    Nullable(
      TrxInput(
        'Pause cover when the covered transfers of a UTC day have cost this; null: no budget.',
      ),
    ),
  ),
  monthly_budget_trx: Type.Optional(
    Nullable(
      TrxInput(
        'Pause cover when the covered transfers of a UTC month have cost this; null: no budget.',
      ),
    ),
  ),
}

const savings = {
  energy_used: SunField('Energy that was used.'),
  burn_cost_trx: TrxField('What the network would have burned for that Energy.'),
  saved_trx: TrxField('That, less what was billed and what was burned all the same.'),
}

const Subscription = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The subscription_id of events.' }),
  address: AddressField('Covered address.'),
  status: EnumField(['pending_activation', 'active', 'closed']),
  plan: Type.Object(planFields),
  tx_used_total: CountField('Covered and billed transfers of the current run.'),
  quota_max_tx: Nullable(CountField('Closed after this many covered transfers; null: no cap.')),
  idle_hours: CountField('Closed after this many hours without a covered transfer.'),
  expire_at: Nullable(TimeField('When it ends by its plan; null: never.')),
  created_at: TimeField('When the address was subscribed.'),
  activated_at: Nullable(TimeField('When the Energy was there; null until then.')),
  last_activity_at: Nullable(TimeField('Last covered transfer of the current run.')),
  closed_at: Nullable(TimeField('When it was closed.')),
  close_reason: Nullable(
    Type.String({
      description:
        'quota, expired, idle, insufficient_balance, manual, activation_failed, energy_used_by_others, account_blocked; expect new ones.',
    }),
  ),
  run: CountField(
    'The current run: 1 from the first activation on, one more with each reactivation. All counters here are of this run.',
  ),
  daily_budget_trx: Nullable(TrxField('Budget of a UTC day for covered transfers; null: none.')),
  monthly_budget_trx: Nullable(
    TrxField('Budget of a UTC month for covered transfers; null: none.'),
  ),
  paused_until: Nullable(
    TimeField('A budget is used up: when cover returns. Null while it is not paused.'),
  ),
  spent_today_trx: TrxField('Covered transfers of this UTC day, in the current run.'),
  spent_this_month_trx: TrxField('Covered transfers of this UTC month, in the current run.'),
  forecast_month_trx: TrxField(
    'What the current run will have cost in this UTC month: all charges so far, and for the rest of the month the daily fee and the average day of the last seven, within the budgets.',
  ),
  owed_trx: TrxField(
    'What the next subscribe or reactivate charges for calls of the address after a close.',
  ),
  ...savings,
})

const NewSubscription = Type.Object({
  address: AnyAddressInput('Address to cover. It must be activated, and not a contract.'),
  plan: Type.Optional(TextInput('Name of a plan; standard by default.')),
  idle_hours: Type.Optional(
    Type.Unsafe<24 | 48 | 72>({
      type: 'integer',
      enum: [24, 48, 72],
      description: 'Close after this many idle hours; 24 by default.',
    }),
  ),
  quota_max_tx: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: INTEGER_MAX,
        description: 'Close after this many covered transfers; null: no cap.',
      }),
    ),
  ),
  ...budgets,
  ownership_signature,
})

export const postSubscription = defineRoute({
  name: 'postSubscription',
  method: 'POST',
  path: base,
  auth: 'both',
  group,
  summary: 'Cover an address',
  description:
    'Charges the activation fee and keeps 131,000 Energy on the address from then on. ' +
    'Each contract call of the address is billed by its size.',
  body: NewSubscription,
  reply: { status: 201, schema: Subscription, description: 'The Energy is on its way.' },
  refusals: [
    'plan_not_found',
    'autoenergy_account_blocked',
    'autoenergy_insufficient_balance',
    'address_busy',
    'address_exists',
    'invalid_address',
    'autoenergy_ownership_not_proven',
    'fulfiller_unavailable',
    'autoenergy_temporarily_unavailable',
    'autoenergy_internal_error',
  ],
})

export const postSubscriptionBatch = defineRoute({
  name: 'postSubscriptionBatch',
  method: 'POST',
  path: `${base}/batch`,
  auth: 'both',
  group,
  summary: 'Cover up to 100 addresses',
  description:
    'Each address by itself and one after the other, as POST /autoenergy/subscriptions would cover it: where the balance ends, the first ones are covered. ' +
    'Counts as that many requests; over the rate limit nothing is covered and nothing counted. ' +
    'Addresses that are not reached within 20 seconds are 502 fulfiller_unavailable, and nothing was charged for them. ' +
    'After a lost answer send the same call again: addresses that are covered already are 409.',
  countsItemsOf: 'subscriptions',
  body: Type.Object({
    subscriptions: Type.Array(NewSubscription, {
      minItems: 1,
      maxItems: 100,
      description: '1 to 100 addresses with their terms.',
    }),
  }),
  reply: {
    status: 200,
    description: 'The result of each address, in the order of the request.',
    schema: Type.Object({ results: Type.Array(BatchResult('POST /autoenergy/subscriptions')) }),
  },
  refusals: [],
})

export const getSubscriptions = defineRoute({
  name: 'getSubscriptions',
  method: 'GET',
  path: base,
  auth: 'both',
  group,
  summary: 'All subscriptions, newest first',
  reply: { status: 200, schema: Type.Array(Subscription), description: 'With live counters.' },
  refusals: [],
})

export const getSubscription = defineRoute({
  name: 'getSubscription',
  method: 'GET',
  path: one,
  auth: 'both',
  group,
  summary: 'One subscription',
  params,
  reply: { status: 200, schema: Subscription, description: 'With live counters.' },
  refusals: ['autoenergy_not_found'],
})

export const deleteSubscription = defineRoute({
  name: 'deleteSubscription',
  method: 'DELETE',
  path: one,
  auth: 'both',
  group,
  summary: 'Take a closed subscription off the list',
  params,
  reply: { status: 204, schema: Type.Object({}), description: 'It is gone from the lists.' },
  refusals: ['autoenergy_not_found', 'not_deletable', 'autoenergy_internal_error'],
})

const page = Type.Object({
  limit: RangeInput('Items on a page.', 1, 100, 100),
  offset: RangeInput('Items to pass over.', 0, INTEGER_MAX, 0),
})

const UsageItem = Type.Object({
  energy_class: EnumField(['65k', '131k'], 'What was billed.'),
  used_tx_id: TxidField('The covered transaction.'),
  billed_sun: SunField('Charged for it.'),
  billed_trx: TrxField('The same amount.'),
  occurred_at: TimeField('Time of its block.'),
  run: CountField(
    'The run whose Energy it used, also when it was owed and paid later. 0: a subscription of the address that was deleted.',
  ),
  ...savings,
})

export const getSubscriptionUsage = defineRoute({
  name: 'getSubscriptionUsage',
  method: 'GET',
  path: `${one}/usage`,
  auth: 'both',
  group,
  summary: 'Covered transfers, newest first',
  params,
  query: page,
  reply: { status: 200, schema: Type.Array(UsageItem), description: 'One page.' },
  refusals: ['autoenergy_not_found'],
})

const BillingItem = Type.Object({
  kind: EnumField(['autoenergy_activate', 'autoenergy_daily', 'autoenergy_unit']),
  amount_trx: TrxField('What was charged; negative when it was given back.'),
  owed_trx: TrxField('The part of it that was owed, for a call after a close.'),
  at: TimeField('When it fell due.'),
  run: CountField('The run in which it was charged; what is given back has the run of its charge.'),
})

export const getSubscriptionBilling = defineRoute({
  name: 'getSubscriptionBilling',
  method: 'GET',
  path: `${one}/billing`,
  auth: 'both',
  group,
  summary: 'Charges, newest first',
  params,
  query: page,
  reply: { status: 200, schema: Type.Array(BillingItem), description: 'One page.' },
  refusals: ['autoenergy_not_found'],
})

export const postSubscriptionClose = defineRoute({
  name: 'postSubscriptionClose',
  method: 'POST',
  path: `${one}/close`,
  auth: 'both',
  group,
  summary: 'Stop covering an address',
  params,
  reply: { status: 200, schema: Subscription, description: 'Closed; nothing is billed after it.' },
  refusals: ['autoenergy_not_found', 'address_busy', 'autoenergy_internal_error'],
})

export const postSubscriptionReactivate = defineRoute({
  name: 'postSubscriptionReactivate',
  method: 'POST',
  path: `${one}/reactivate`,
  auth: 'both',
  group,
  summary: 'Cover a closed address again',
  description:
    'Free within a day already paid, otherwise the daily fee is charged. A budget that is left out stays as it was.',
  params,
  body: Type.Object({ ...budgets, ownership_signature }),
  reply: { status: 200, schema: Subscription, description: 'The Energy is on its way.' },
  refusals: [
    'autoenergy_account_blocked',
    'autoenergy_insufficient_balance',
    'autoenergy_not_found',
    'address_busy',
    'not_reactivatable',
    'autoenergy_ownership_not_proven',
    'fulfiller_unavailable',
    'autoenergy_temporarily_unavailable',
    'autoenergy_internal_error',
  ],
})
