import { Type } from 'typebox'
import { CountField, SunField, TrxField } from './fields.ts'
import { defineRoute } from './route.ts'

/** Endpoints without a key. */
const group = 'Public'

const Plan = Type.Object({
  name: Type.String({ description: 'What a subscription names it by.' }),
  activation_fee_trx: TrxField('Charged once, at subscribe.'),
  daily_sub_trx: TrxField('Charged daily while active.'),
  unit_price_65k_trx: TrxField('Per covered transfer of up to 65,000 Energy.'),
  unit_price_131k_trx: TrxField('Per larger covered transfer.'),
})

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
