import { Type } from 'typebox'
import {
  AddressField,
  AnyAddressInput,
  EnumField,
  Nullable,
  PAYMENT_STATES,
  PublicIdField,
  SunField,
  TimeField,
  TxidField,
} from './fields.ts'
import { defineRoute } from './route.ts'

/** What a customer of an agent sees, without a key. */
const group = 'Pay page'

/** Languages that a pay page and its sentences exist in. */
export type PayLanguage = 'en' | 'zh' | 'ru' | 'es'

const lang = Type.Optional(
  EnumField(['en', 'zh', 'ru', 'es'], 'Language of `message`: en (the default), zh, ru or es.'),
)

const publicId = Type.Object({ public_id: Type.String({ description: 'Id of the pay page.' }) })

export const getPay = defineRoute({
  name: 'getPay',
  method: 'GET',
  path: '/pay/{public_id}',
  auth: 'public',
  group,
  summary: 'What a pay page sells, and where to pay',
  params: publicId,
  reply: {
    status: 200,
    description: 'The offer.',
    schema: Type.Object({
      public_id: PublicIdField('Id of the pay page.'),
      title: Type.String({ maxLength: 40, description: 'As its owner named it.' }),
      address: AddressField('Where to pay.'),
      energy_per_unit: SunField('Energy that one unit gives.'),
      base_payment_sun: SunField('Payment for one unit.'),
      max_units: SunField('Most units that one payment buys.'),
      available: Type.Boolean({ description: 'False: a payment sent now would be skipped.' }),
      referral_code: Type.String({ description: "The owner's code." }),
    }),
  },
  refusals: ['not_found'],
})

export const getPayCheck = defineRoute({
  name: 'getPayCheck',
  method: 'GET',
  path: '/pay/{public_id}/check',
  auth: 'public',
  group,
  summary: 'Whether an address can receive Energy',
  params: publicId,
  query: Type.Object({ address: AnyAddressInput('The address that will pay.'), lang }),
  reply: {
    status: 200,
    description: 'Whether it can, and why not.',
    schema: Type.Object({
      can_receive: Type.Boolean(),
      message: Type.String({ description: 'In words.' }),
    }),
  },
  refusals: ['not_found'],
})

export const getPayLive = defineRoute({
  name: 'getPayLive',
  method: 'GET',
  path: '/pay/{public_id}/live',
  auth: 'public',
  group,
  summary: "One payer's payments of the last hour, as they change",
  description:
    'Server-sent events. Each message is one payment: first all there are, then each that changes.',
  params: publicId,
  query: Type.Object({ payer: AnyAddressInput('The address that pays.'), lang }),
  reply: {
    status: 200,
    stream: true,
    description: 'Goes on until either side ends it. Connect again when it ends.',
    schema: Type.Object({
      tx_hash: TxidField('The transfer.'),
      amount_sun: SunField('What was paid.'),
      units: SunField('Units counted; 0 until it is decided, and when skipped.'),
      energy: SunField('Energy sold; 0 until it is decided, and when skipped or failed.'),
      status: EnumField(PAYMENT_STATES),
      message: Type.String({ description: 'What that means for the payer, in words.' }),
      delegation_txids: Type.Array(TxidField('Delegation.'), { description: 'Once completed.' }),
      usable_until: Nullable(TimeField('Until then the Energy can be used.')),
    }),
  },
  refusals: ['not_found', 'address_invalid', 'overloaded'],
})
