import { type TProperties, Type } from 'typebox'
import { CountField, Nullable, TextInput, TrxField } from './fields.ts'

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

const trx = 'Decimal TRX, at most 6 places.'
/** A plan as an operator writes it. */
export const PlanInput = Type.Object({
  name: Type.String({ format: 'text', minLength: 1, maxLength: 40, description: 'Its name.' }),
  activation_fee_trx: TextInput(`Charged at subscribe. ${trx}`, 24),
  daily_sub_trx: TextInput(`Charged daily while active. ${trx}`, 24),
  unit_price_65k_trx: TextInput(`Per covered transfer of up to 65,000 Energy. ${trx}`, 24),
  unit_price_131k_trx: TextInput(`Per larger covered transfer. ${trx}`, 24),
  term_days: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days until it expires.' })),
  ),
})
