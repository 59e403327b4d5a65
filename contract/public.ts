import { Type } from 'typebox'
import {
  AddressField,
  AddressInput,
  CountField,
  EnumField,
  Nullable,
  SunField,
  TimeField,
  TrxField,
  TxidField,
} from './fields.ts'
import { ReclaimCredit } from './order.ts'
import { Plan } from './plan.ts'
import { defineRoute } from './route.ts'

/** Endpoints without a key. */
const group = 'Public'

export const getPublicPricing = defineRoute({
  name: 'getPublicPricing',
  method: 'GET',
  path: '/public/pricing',
  auth: 'public',
  group,
  summary: 'List prices',
  reply: {
    status: 200,
    description: 'Prices before any discount.',
    schema: Type.Object({
      unit_price_sun: SunField('SUN per Energy now.'),
      schedule: Type.Array(SunField('SUN per Energy.'), {
        minItems: 24,
        maxItems: 24,
        description: 'One price for each hour of the day, from 0 to 23.',
      }),
      timezone: Type.String({ description: 'Of the hours of the schedule: UTC.' }),
      min_amount: CountField('Smallest order.'),
      max_amount: CountField('Largest order.'),
      plans: Type.Array(Plan, { description: 'AutoEnergy plans.' }),
    }),
  },
  refusals: [],
})

export const getPublicScorecard = defineRoute({
  name: 'getPublicScorecard',
  method: 'GET',
  path: '/public/scorecard',
  auth: 'public',
  group,
  summary: 'How providers did',
  description:
    'How often each provider of Energy delivered what it was asked for, how fast and at which price, over 24 hours, 7 and 30 days. Counted from our own attempts.',
  reply: {
    status: 200,
    description: 'One entry for each provider that was asked within 30 days.',
    schema: Type.Object({
      method: Type.String({ description: 'How it was counted.' }),
      counted_at: Nullable(TimeField('When it was counted; null before the first time.')),
      providers: Type.Array(
        Type.Object({
          name: Type.String({ description: 'Name of the provider; own_stake is our own Energy.' }),
          windows: Type.Array(
            Type.Object({
              window: EnumField(['24h', '7d', '30d'], 'The last 24 hours, 7 or 30 days.'),
              attempts: CountField('Attempts whose end is known.'),
              delivered: CountField('Delivered in full by the deadline.'),
              failed: CountField(
                'Delivered in part, after the deadline or not at all, or refused.',
              ),
              fill_rate_bps: Nullable(
                CountField('Delivered of all attempts, in hundredths of a percent; null: none.'),
              ),
              average_price_sun: Nullable(
                SunField('SUN per Energy, on average and rounded; null: nothing delivered.'),
              ),
              median_seconds: Nullable(CountField('Half of the deliveries took no longer.')),
              p95_seconds: Nullable(CountField('19 of 20 deliveries took no longer.')),
            }),
          ),
        }),
      ),
    }),
  },
  refusals: [],
})

const ProvenDelegation = Type.Object({
  txid: TxidField('The delegation on the chain.'),
  block: CountField('Number of the block that holds it.'),
  energy: CountField('Energy it gives.'),
  delegated_at: TimeField('Time of that block.'),
  reclaimed_at: Nullable(TimeField('When it was taken back; null while it stands.')),
})

export const getPublicProof = defineRoute({
  name: 'getPublicProof',
  method: 'GET',
  path: '/public/proof/{order_id}',
  auth: 'public',
  group,
  summary: 'Proof of delivery',
  description:
    'The delegations of a completed order, so that they can be checked on the chain. The order id is enough; the buyer is not shown.',
  params: Type.Object({ order_id: Type.String({ description: 'Order id.' }) }),
  reply: {
    status: 200,
    description: 'What the chain shows.',
    schema: Type.Object({
      order_id: Type.String({ format: 'uuid' }),
      resource_amount: CountField('Energy ordered.'),
      receiver_address: AddressField('Address that received it.'),
      delegations: Type.Array(ProvenDelegation),
      credits: Type.Array(ReclaimCredit, {
        description: 'Energy that its seller took back before the hour was over.',
      }),
      seconds_to_delivery: CountField('From the purchase to the last delegation.'),
    }),
  },
  refusals: ['order_not_found'],
})

export const getPublicEnergy = defineRoute({
  name: 'getPublicEnergy',
  method: 'GET',
  path: '/public/energy',
  auth: 'public',
  group,
  summary: 'What a transfer of a token needs, and what it costs with and without us',
  description:
    'The transfer of the smallest amount of the token is simulated on the chain. A transfer that would fail there, because from holds none of the token for example, is validation_error. While the node cannot simulate, USDT is answered from the table of classes, and energy_source says so.',
  query: Type.Object({
    from: AddressInput('Who sends, and pays for the Energy.'),
    to: AddressInput('Who receives.'),
    token: Type.Optional(AddressInput('Contract of the token; USDT by default.')),
  }),
  reply: {
    status: 200,
    description: 'As the chain stands now.',
    schema: Type.Object({
      energy: CountField('Energy that the transfer uses.'),
      energy_class: EnumField(['65k', '131k'], '65k up to 65,000 Energy, 131k above.'),
      energy_source: EnumField(
        ['chain', 'table'],
        'chain: simulated just now, with the penalty that the contract has now. table: the usual Energy of the class; where it is not known whether to holds the token, the larger one.',
      ),
      price_sun: SunField('List price of that Energy now, or of the smallest order if it is more.'),
      price_trx: TrxField('The same price.'),
      burn_cost_trx: TrxField('What the network burns for it from an address without Energy.'),
      receiver_activated: Type.Boolean({ description: 'to exists on the chain.' }),
      receiver_holds_token: Type.Boolean({
        description: 'to holds some of the token, which about halves the Energy.',
      }),
    }),
  },
  refusals: ['validation_error', 'service_unavailable'],
})

export const getPublicTransfer = defineRoute({
  name: 'getPublicTransfer',
  method: 'GET',
  path: '/public/transfers/{txid}',
  auth: 'public',
  group,
  summary: 'Why a transfer failed, or burned TRX',
  description:
    'Reads the receipt of the transaction. What ran out of Energy is simulated again, because a receipt shows what there was and not what was needed.',
  params: Type.Object({ txid: Type.String({ description: 'Id of the transaction.' }) }),
  reply: {
    status: 200,
    description: 'What happened, and what it would have cost with Energy.',
    schema: Type.Object({
      verdict: Type.String({
        description:
          'out_of_energy, reverted, failed, energy_burned, bandwidth_burned, covered, no_energy_needed; expect new ones.',
      }),
      message: Type.String({ description: 'The same in words, with what to do.' }),
      energy_needed: CountField('Energy that the transfer needs.'),
      energy_had: CountField('Energy of the wallet that it used.'),
      burned_trx: TrxField('Everything that the network burned for it.'),
      price_with_energy_trx: TrxField(
        'List price of that Energy now, or of the smallest order if it is more.',
      ),
    }),
  },
  refusals: ['not_found', 'service_unavailable'],
})
