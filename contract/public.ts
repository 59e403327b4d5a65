import { Type } from 'typebox'
import { CountField, SunField } from './fields.ts'
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
