import { Type } from 'typebox'
import { Nullable, SunField, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group } from './fields.ts'

const StakeCost = Type.Object({
  address: Type.String({ description: 'The stake.' }),
  seconds: SunField('How long its use was looked at; 0 while there is less than a day of history.'),
  staked_trx: TrxField('For Energy and for Bandwidth; the average.'),
  yield_trx: TrxField('What it had to earn in that time.'),
  fees_trx: TrxField('Burned for its delegations and reclaims.'),
  sold_energy: SunField('Delegated for orders, and standing Energy.'),
  produced_energy: SunField('By its stake.'),
  expected_energy: SunField('By which yield and fees are divided.'),
  cost_sun: Nullable(SunField('Per Energy; null: it produces nothing.')),
  by_hand: Type.Boolean({ description: 'An operator has set the figure.' }),
})

export const getOperatorStakeCost = defineRoute({
  name: 'getOperatorStakeCost',
  method: 'GET',
  path: '/stakes/cost',
  auth: 'operator',
  group,
  summary: 'What the Energy of own stake costs, with every term',
  reply: {
    status: 200,
    schema: Type.Object({
      yield_bps: SunField('What the staked TRX must earn in a year, in basis points.'),
      floor_bps: SunField('The share of the Energy produced that counts as sold at least.'),
      days: SunField('How many days are looked at.'),
      set_sun: Nullable(SunField('The figure by hand for all stakes; null: there is none.')),
      cost_sun: Nullable(SunField('Of all stakes together; null: not worked out yet.')),
      used_sun: Nullable(SunField('What the router compares now; null: own stake offers nothing.')),
      worked_out_at: Nullable(TimeField('When it was worked out; null: never.')),
      stakes: Type.Array(StakeCost),
    }),
    description: 'As it was last worked out.',
  },
  refusals: [],
})
