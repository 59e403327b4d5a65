import { type TProperties, Type } from 'typebox'
import {
  AddressField,
  AnyAddressInput,
  BasePaymentInput,
  CountField,
  EnergyInput,
  EnumField,
  FilterInput,
  FrozenInput,
  INTEGER_MAX,
  Nullable,
  PAYMENT_STATES,
  PublicIdField,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
  TitleInput,
  TxidField,
  UnitsInput,
} from './fields.ts'
import { defineRoute } from './route.ts'

/** Resale: configurations with a pay page, and the payments that arrived at them. */
const group = 'Agent'

const configId = Type.Object({ id: Type.String({ description: 'Configuration id.' }) })

const quoteFields = {
  energy: SunField('Energy asked about.'),
  cost_now_sun: SunField('What you pay for it in this hour.'),
  cost_min_sun: SunField('In the cheapest hour of the schedule.'),
  cost_max_sun: SunField('In the dearest hour: the least a base payment may be.'),
  timezone: Type.String({ description: 'Of the hours: UTC.' }),
} satisfies TProperties

const Quote = Type.Object(quoteFields)

const Sums = {
  sales: SunField('Payments that were turned into an order.'),
  energy: SunField('Energy sold.'),
  revenue_sun: SunField('What customers paid for it.'),
  cost_sun: SunField('What you were charged for it.'),
} satisfies TProperties

const Config = Type.Object({
  id: Type.String({ format: 'uuid' }),
  public_id: PublicIdField('Id of the pay page.'),
  mode: EnumField(['own', 'generated']),
  address: AddressField('Where customers pay.'),
  title: Type.String({ maxLength: 40, description: 'Shown on the pay page.' }),
  energy_per_unit: SunField('Energy per unit.'),
  base_payment_sun: SunField('Payment for one unit.'),
  max_units: SunField('Most units that one payment buys.'),
  status: EnumField(['active', 'paused']),
  pause_reason: Nullable(
    EnumField(['user', 'insufficient_balance', 'admin'], 'Why it is paused; null when active.'),
  ),
  proven: Type.Boolean({
    description: 'Its address is ours, or a signature proved that it is yours.',
  }),
  created_at: TimeField('When it was made.'),
  updated_at: TimeField('When it last changed.'),
  stats: Type.Object({
    ...Sums,
    last_sale_at: Nullable(TimeField('When the newest of these sales was made.')),
  }),
})

const Payment = Type.Object({
  id: Type.String({ format: 'uuid' }),
  config_id: Type.String({ format: 'uuid' }),
  tx_hash: TxidField("The customer's transfer."),
  payer: AddressField('Who paid, and receives the Energy.'),
  amount_sun: SunField('What the customer paid.'),
  units: SunField('Units counted; 0 when skipped.'),
  energy: SunField('Energy sold; 0 when skipped or failed.'),
  cost_sun: Nullable(
    SunField('What you were charged; 0 when it failed and was refunded, null when nothing was.'),
  ),
  base_payment_sun: Nullable(
    SunField(
      'Base payment by which it was sold; an earlier one, shown up to 90 s before, may count.',
    ),
  ),
  energy_per_unit: Nullable(SunField('Energy per unit by which it was sold.')),
  status: EnumField(PAYMENT_STATES),
  skip_reason: Nullable(Type.String({ description: 'Set when skipped; expect new ones.' })),
  order_id: Nullable(
    Type.String({ format: 'uuid', description: 'The Energy order behind the sale.' }),
  ),
  orphaned: Type.Boolean({ description: 'The transfer left the chain for good.' }),
  created_at: TimeField('When the transfer was seen.'),
})

export const getAgentSummary = defineRoute({
  name: 'getAgentSummary',
  method: 'GET',
  path: '/agent/summary',
  auth: 'both',
  group,
  summary: 'Terms of the program, and what you have sold',
  reply: {
    status: 200,
    description: 'Profit is revenue_sun less cost_sun.',
    schema: Type.Object({
      account_id: Type.String({ description: 'Part of what an ownership_signature signs.' }),
      enabled: Type.Boolean({ description: 'The program accepts changes now.' }),
      min_balance_sun: SunField('Balance needed to create or resume a configuration.'),
      balance_sun: SunField('Your balance.'),
      can_activate: Type.Boolean({ description: 'The balance is enough.' }),
      max_configs: SunField('Configurations you may have.'),
      max_generated: SunField('Dedicated addresses you may have.'),
      max_units_cap: SunField('Highest max_units.'),
      energy_min: SunField('Smallest Energy per payment.'),
      energy_max: Nullable(SunField('Largest Energy per payment.')),
      quote_65k: Quote,
      totals: Type.Object(Sums),
    }),
  },
  refusals: [],
})

export const getAgentQuote = defineRoute({
  name: 'getAgentQuote',
  method: 'GET',
  path: '/agent/quote',
  auth: 'both',
  group,
  summary: 'What Energy costs you now and over the day, your discount included',
  query: Type.Object({ energy: EnergyInput('Energy to be quoted.') }),
  reply: { status: 200, schema: Quote, description: 'The quote.' },
  refusals: ['energy_out_of_bounds'],
})

export const getAgentConfigs = defineRoute({
  name: 'getAgentConfigs',
  method: 'GET',
  path: '/agent/configs',
  auth: 'both',
  group,
  summary: 'Configurations, newest first',
  reply: {
    status: 200,
    schema: Type.Object({ items: Type.Array(Config) }),
    description: 'All that are not deleted.',
  },
  refusals: [],
})

const RULES = [
  'units_out_of_bounds',
  'energy_out_of_bounds',
  'base_not_mtrx',
  'base_below_cost',
] as const

export const postAgentConfig = defineRoute({
  name: 'postAgentConfig',
  method: 'POST',
  path: '/agent/configs',
  auth: 'both',
  group,
  summary: 'A new configuration with its pay page',
  body: Type.Object(
    {
      mode: EnumField(
        ['own', 'generated'],
        'own: your wallet. generated: an address of ours for you.',
      ),
      address: Type.Optional(
        AnyAddressInput('Your wallet, for own: not a contract. Left out for generated.'),
      ),
      title: Type.Optional(TitleInput('Up to 40 characters.')),
      energy_per_unit: EnergyInput('Energy that one base payment buys.'),
      base_payment_sun: BasePaymentInput('Payment for one unit: a multiple of 1000 SUN.'),
      max_units: UnitsInput('Most units that one payment buys.'),
      ownership_signature: Type.Optional(
        TextInput(
          'signMessageV2, by the wallet, of "<account_id>:<address>". Proves that it is yours.',
        ),
      ),
    },
    {
      allOf: [
        {
          if: { required: ['mode'], properties: { mode: { const: 'own' } } },
          // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
          then: { required: ['address'] },
        },
        {
          if: { required: ['mode'], properties: { mode: { const: 'generated' } } },
          // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
          then: { properties: { address: false } },
        },
      ],
    },
  ),
  reply: { status: 201, schema: Config, description: 'The configuration.' },
  refusals: [
    'program_disabled',
    'address_invalid',
    'address_reserved',
    'ownership_not_proven',
    'address_taken',
    ...RULES,
    'config_limit',
    'generated_limit',
    'account_blocked',
    'below_min_balance',
  ],
})

export const patchAgentConfig = defineRoute({
  name: 'patchAgentConfig',
  method: 'PATCH',
  path: '/agent/configs/{id}',
  auth: 'both',
  group,
  summary: 'Changes a configuration',
  description: 'A payment is judged by the configuration as it stood at the block of its transfer.',
  params: configId,
  body: Type.Object({
    title: Type.Optional(TitleInput('Up to 40 characters.')),
    energy_per_unit: Type.Optional(EnergyInput('Energy that one base payment buys.')),
    base_payment_sun: Type.Optional(BasePaymentInput('Payment for one unit.')),
    max_units: Type.Optional(UnitsInput('Most units that one payment buys.')),
    mode: FrozenInput('Cannot be changed.'),
    address: FrozenInput('Cannot be changed.'),
  }),
  reply: { status: 200, schema: Config, description: 'The configuration.' },
  refusals: ['program_disabled', 'not_found', ...RULES],
})

export const postAgentPause = defineRoute({
  name: 'postAgentPause',
  method: 'POST',
  path: '/agent/configs/{id}/pause',
  auth: 'both',
  group,
  summary: 'Stops taking payments',
  params: configId,
  reply: { status: 200, schema: Config, description: 'The configuration.' },
  refusals: ['not_found'],
})

export const postAgentResume = defineRoute({
  name: 'postAgentResume',
  method: 'POST',
  path: '/agent/configs/{id}/resume',
  auth: 'both',
  group,
  summary: 'Takes payments again',
  params: configId,
  reply: { status: 200, schema: Config, description: 'The configuration.' },
  refusals: [
    'program_disabled',
    'not_found',
    'admin_paused',
    'account_blocked',
    'below_min_balance',
  ],
})

export const deleteAgentConfig = defineRoute({
  name: 'deleteAgentConfig',
  method: 'DELETE',
  path: '/agent/configs/{id}',
  auth: 'both',
  group,
  summary: 'Removes a configuration of your own wallet',
  params: configId,
  reply: {
    status: 204,
    schema: Type.Unsafe<undefined>({ type: 'null' }),
    description: 'It is gone, and so is its pay page.',
  },
  refusals: ['not_found', 'generated_not_deletable'],
})

export const getAgentPayments = defineRoute({
  name: 'getAgentPayments',
  method: 'GET',
  path: '/agent/payments',
  auth: 'both',
  group,
  summary: 'Payments of customers, newest first',
  query: Type.Object({
    config_id: Type.Optional(TextInput('Only those of this configuration; empty for all.')),
    status: Type.Optional(FilterInput('Only those in this state; empty for all.', PAYMENT_STATES)),
    page: RangeInput('Page, from 1.', 1, INTEGER_MAX, 1),
    page_size: RangeInput('Payments on a page.', 1, 100, 20),
  }),
  reply: {
    status: 200,
    description: 'One page.',
    schema: Type.Object({
      items: Type.Array(Payment),
      page: CountField('This page.'),
      page_size: CountField('Payments on a page.'),
      has_more: Type.Boolean(),
    }),
  },
  refusals: [],
})

export const postAgentDeliver = defineRoute({
  name: 'postAgentDeliver',
  method: 'POST',
  path: '/agent/payments/{id}/deliver',
  auth: 'both',
  group,
  summary: 'Sells a payment that was skipped',
  description:
    'For payments skipped as insufficient_balance, paused, price_above_base or service_unavailable, in a final block of the last 30 days: the payer gets the units of the configuration at the transfer, and you are charged what they cost now, also where that is more than was paid. Everything else is not_deliverable.',
  params: Type.Object({ id: Type.String({ description: 'Payment id.' }) }),
  reply: { status: 200, schema: Payment, description: 'The payment, which is delivering.' },
  refusals: [
    'not_found',
    'not_deliverable',
    'service_unavailable',
    'account_blocked',
    'insufficient_balance',
  ],
})
