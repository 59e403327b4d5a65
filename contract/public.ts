import { Type } from 'typebox'
import { AddressField, CountField, Nullable, SunField, TimeField } from './fields.ts'
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

const ProvenDelegation = Type.Object({
  txid: Type.String({ description: 'The delegation on the chain.' }),
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
    'For whoever holds the id of a completed order: what was delegated, so that it can be checked on the chain. Says nothing about the buyer.',
  params: Type.Object({ order_id: Type.String({ description: 'Order id.' }) }),
  reply: {
    status: 200,
    description: 'What the chain shows.',
    schema: Type.Object({
      order_id: Type.String({ format: 'uuid' }),
      resource_amount: CountField('Energy ordered.'),
      receiver_address: AddressField('Address that received it.'),
      delegations: Type.Array(ProvenDelegation),
      seconds_to_delivery: CountField('From the purchase to the last delegation.'),
    }),
  },
  refusals: ['order_not_found'],
})
