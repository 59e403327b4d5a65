import { type TProperties, Type } from 'typebox'
import { CountField, Nullable, TrxField } from './fields.ts'

/** An AutoEnergy plan: on the price list, and in a subscription as it was when that began. */
export const planFields = {
  name: Type.String({ description: 'What a subscription names it by.' }),
  activation_fee_trx: TrxField('Charged once, at subscribe.'),
  daily_sub_trx: TrxField('Charged daily while active.'),
  unit_price_65k_trx: TrxField('Per covered transfer of up to 65,000 Energy.'),
  unit_price_131k_trx: TrxField('Per larger covered transfer.'),
  term_days: Nullable(CountField('A subscription expires after so many days; null: never.')),
} satisfies TProperties

export const Plan = Type.Object(planFields)
