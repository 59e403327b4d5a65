import { Type } from 'typebox'
import { AddressField, Nullable, TimeField, TrxField, TrxInput } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { byId, group, why } from './fields.ts'

const changed = {
  changed_by: Type.String({ description: 'Who set it last.' }),
  changed_at: TimeField('When.'),
  reason: Type.String({ description: 'Why.' }),
}

const HotWalletSettings = Type.Object({
  enabled: Type.Boolean(),
  floor_trx: TrxField('Below it the hot wallet is short.'),
  ceiling_trx: TrxField('What is above it, less what is owed, under way and needed, is surplus.'),
  cold_address: Type.String(),
  ...changed,
})

const FloatSettings = Type.Object({
  enabled: Type.Boolean(),
  deposit_address: Type.String({ description: 'Where the marketplace takes top-ups.' }),
  floor_trx: TrxField('Below it the balance is topped up.'),
  ceiling_trx: TrxField('Up to this.'),
  daily_cap_trx: TrxField('At most so much within 24 hours.'),
  ...changed,
})

const Transfer = Type.Object({
  id: Type.String(),
  kind: Type.String({ description: 'surplus or top_up.' }),
  provider: Nullable(Type.String({ description: 'The marketplace of a top-up.' })),
  to: Type.String(),
  amount_trx: TrxField('What was sent.'),
  step: Type.String({
    description:
      'requested, signed, broadcast; then booked (a surplus), or solid and arrived, missing or lost (a top-up); refused or dead.',
  }),
  txid: Type.String(),
  created_at: TimeField('When it was asked for.'),
  fee_trx: Nullable(TrxField('Burned by the network.')),
  trouble: Nullable(Type.String({ description: 'What is wrong.' })),
  due_at: Nullable(TimeField('From then on a top-up is missing.')),
  credited_trx: Nullable(TrxField('What the marketplace has credited; the rest is lost.')),
  decided_by: Nullable(Type.String({ description: 'Who decided it.' })),
})

const Floor = TrxInput('The floor.')
const Ceiling = TrxInput('The ceiling.')

export const getOperatorHotWallet = defineRoute({
  name: 'getOperatorHotWallet',
  method: 'GET',
  path: '/treasury/hot-wallet',
  auth: 'operator',
  group,
  summary: 'Floor, ceiling and surplus of the hot wallet, and what it needs in the next 24 hours',
  reply: {
    status: 200,
    schema: Type.Object({
      settings: Nullable(HotWalletSettings),
      destinations: Type.Array(
        Type.Object({
          address: Type.String(),
          hour_trx: TrxField('Signed within an hour at most.'),
          day_trx: TrxField('Signed within a day at most.'),
        }),
        { description: "The treasury's, in the signer's file." },
      ),
      forecast: Type.Array(
        Type.Object({ what: Type.String(), trx: TrxField('What leaves; negative: what comes.') }),
        { description: 'The last row is the sum.' },
      ),
      outlook: Nullable(
        Type.Object({
          hot_trx: TrxField('On the hot wallet at the last reconciliation.'),
          under_way_trx: TrxField('Leaves it already.'),
          after_day_trx: TrxField('What is left in 24 hours.'),
          hours_left: Nullable(
            Type.Number({ description: 'For how long it is enough; null: nothing is needed.' }),
          ),
          is_short: Type.Boolean({ description: 'Below the floor in 24 hours.' }),
          free_trx: TrxField('Above what is owed, under way and needed.'),
          surplus_trx: TrxField('What of it would go to the cold address.'),
        }),
      ),
      waits: Nullable(Type.String({ description: 'Why a surplus is not sent.' })),
      transfers: Type.Array(Transfer, { description: 'Of surplus; newest first.' }),
    }),
    description: 'The hot wallet.',
  },
  refusals: [],
})

export const postOperatorHotWallet = defineRoute({
  name: 'postOperatorHotWallet',
  method: 'POST',
  path: '/treasury/hot-wallet',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Set floor, ceiling and cold address of the hot wallet',
  body: Type.Object({
    why,
    floor_trx: Floor,
    ceiling_trx: Ceiling,
    cold_address: AddressField("A destination of the treasury in the signer's file."),
  }),
  reply: { status: 200, schema: HotWalletSettings, description: 'As it is set now.' },
  refusals: ['validation_error'],
})

export const postOperatorHotWalletSwitch = defineRoute({
  name: 'postOperatorHotWalletSwitch',
  method: 'POST',
  path: '/treasury/hot-wallet/switch',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Turn transfers of surplus on or off',
  body: Type.Object({ why, enabled: Type.Boolean() }),
  reply: { status: 200, schema: HotWalletSettings, description: 'As it is set now.' },
  refusals: ['validation_error'],
})

export const getOperatorFloats = defineRoute({
  name: 'getOperatorFloats',
  method: 'GET',
  path: '/treasury/floats',
  auth: 'operator',
  group,
  summary: 'Prepaid balances at marketplaces, and their top-ups',
  reply: {
    status: 200,
    schema: Type.Object({
      floats: Type.Array(
        Type.Object({
          provider: Type.String(),
          settings: Nullable(FloatSettings),
          balance_trx: Nullable(TrxField('As it last said.')),
          seen_at: Nullable(TimeField('When.')),
          waits: Nullable(Type.String({ description: 'Why a top-up is not sent.' })),
        }),
      ),
      transfers: Type.Array(Transfer, { description: 'Top-ups; newest first.' }),
    }),
    description: 'The floats.',
  },
  refusals: [],
})

const byProvider = Type.Object({ provider: Type.String({ description: 'The marketplace.' }) })

export const postOperatorFloat = defineRoute({
  name: 'postOperatorFloat',
  method: 'POST',
  path: '/treasury/floats/{provider}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Set floor, ceiling, daily cap and deposit address of a float',
  params: byProvider,
  body: Type.Object({
    why,
    deposit_address: AddressField("A destination of the treasury in the signer's file."),
    floor_trx: Floor,
    ceiling_trx: Ceiling,
    daily_cap_trx: TrxInput('At most so much within 24 hours.'),
  }),
  reply: { status: 200, schema: FloatSettings, description: 'As it is set now.' },
  refusals: ['validation_error'],
})

export const postOperatorFloatSwitch = defineRoute({
  name: 'postOperatorFloatSwitch',
  method: 'POST',
  path: '/treasury/floats/{provider}/switch',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Turn top-ups of a float on or off',
  params: byProvider,
  body: Type.Object({ why, enabled: Type.Boolean() }),
  reply: { status: 200, schema: FloatSettings, description: 'As it is set now.' },
  refusals: ['validation_error'],
})

export const postOperatorTopUpDecision = defineRoute({
  name: 'postOperatorTopUpDecision',
  method: 'POST',
  path: '/treasury/top-ups/{id}/decide',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Say what became of a top-up that is missing',
  params: byId,
  body: Type.Object({
    why,
    as: Type.Enum(['arrived', 'lost', 'wait'], {
      description: 'arrived after all, lost (booked as a cost), or wait for 30 minutes more.',
    }),
    credited_trx: Type.Optional(TrxInput('How much of it arrived; the rest is lost.')),
  }),
  reply: {
    status: 200,
    schema: Type.Object({ state: Type.String() }),
    description: 'As it is now.',
  },
  refusals: ['validation_error'],
})
