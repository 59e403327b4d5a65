import { Type } from 'typebox'
import { patchAgentConfig } from './agent.ts'
import {
  AddressField,
  CountInput,
  PositiveInput,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
} from './fields.ts'
import { Plan, PlanInput } from './plan.ts'
import { defineRoute } from './route.ts'

/** Endpoints that exist only in sandbox mode, under /sandbox, for callers on this machine. */
const group = 'Sandbox'

const accountId = Type.Object({ id: Type.String({ description: 'Account id.' }) })

export const postSandboxAccount = defineRoute({
  name: 'postSandboxAccount',
  method: 'POST',
  path: '/accounts',
  auth: 'public',
  group,
  summary: 'A new account with a key',
  body: Type.Object({
    name: Type.Optional(TextInput('Name of the account.', 80)),
    deposit_trx: Type.Optional(TextInput('Decimal TRX to deposit on the devnet.', 24)),
    vip_discount_bps: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_000, description: 'Discount in basis points.' }),
    ),
  }),
  reply: {
    status: 201,
    description: 'The account. Its key is shown once.',
    schema: Type.Object({
      account_id: Type.String(),
      api_key: Type.String(),
      deposit_address: AddressField('Where its deposits go.'),
    }),
  },
  refusals: ['validation_error'],
})

export const postSandboxRemoveUser = defineRoute({
  name: 'postSandboxRemoveUser',
  method: 'POST',
  path: '/accounts/{id}/remove-user',
  auth: 'public',
  group,
  summary: "Removes an account's user, so that its key answers User not found",
  params: accountId,
  reply: {
    status: 200,
    description: 'Whether there was a user.',
    schema: Type.Object({ removed: Type.Boolean() }),
  },
  refusals: [],
})

const Now = Type.Object({ now: TimeField('Business time.') })

export const getSandboxClock = defineRoute({
  name: 'getSandboxClock',
  method: 'GET',
  path: '/clock',
  auth: 'public',
  group,
  summary: 'Business time',
  reply: { status: 200, description: 'Business time.', schema: Now },
  refusals: [],
})

export const postSandboxClock = defineRoute({
  name: 'postSandboxClock',
  method: 'POST',
  path: '/clock',
  auth: 'public',
  group,
  summary: 'Moves business time forward, and the devnet with it',
  body: Type.Object({
    advance_seconds: Type.Integer({
      minimum: 0,
      maximum: 31_622_400,
      description: 'At most a year at once.',
    }),
  }),
  reply: { status: 200, description: 'Business time when the scanner has followed.', schema: Now },
  refusals: ['service_unavailable'],
})

const Txid = Type.Object({ txid: Type.String() })
const Head = Type.Object({
  head: Type.Object({ number: Type.Integer(), id: Type.String(), timestamp: Type.Integer() }),
})

export const postSandboxTransfer = defineRoute({
  name: 'postSandboxTransfer',
  method: 'POST',
  path: '/chain/transfer',
  auth: 'public',
  group,
  summary: 'Sends TRX from a funded address',
  body: Type.Object({
    from: TextInput('A funded address.'),
    to: TextInput('Any address.'),
    amount_sun: PositiveInput('Amount.'),
  }),
  reply: { status: 200, description: 'Accepted by the devnet.', schema: Txid },
  refusals: ['validation_error'],
})

export const postSandboxFaucet = defineRoute({
  name: 'postSandboxFaucet',
  method: 'POST',
  path: '/faucet',
  auth: 'public',
  group,
  summary: 'Sends TRX from a funded key',
  body: Type.Object({ to: TextInput('Any address.'), amount_sun: PositiveInput('Amount.') }),
  reply: { status: 200, description: 'Accepted by the devnet.', schema: Txid },
  refusals: ['validation_error'],
})

export const postSandboxUsdt = defineRoute({
  name: 'postSandboxUsdt',
  method: 'POST',
  path: '/chain/usdt',
  auth: 'public',
  group,
  summary: 'Sends USDT from a funded address',
  body: Type.Object({
    from: TextInput('A funded address.'),
    to: TextInput('Any address.'),
    amount: PositiveInput('Millionths of a USDT.'),
  }),
  reply: { status: 200, description: 'Accepted by the devnet.', schema: Txid },
  refusals: ['validation_error'],
})

export const postSandboxMine = defineRoute({
  name: 'postSandboxMine',
  method: 'POST',
  path: '/chain/mine',
  auth: 'public',
  group,
  summary: 'Makes blocks at once',
  body: Type.Object({ blocks: RangeInput('How many.', 1, 10_000, 1) }),
  reply: { status: 200, description: 'The new head.', schema: Head },
  refusals: ['validation_error'],
})

export const postSandboxReorg = defineRoute({
  name: 'postSandboxReorg',
  method: 'POST',
  path: '/chain/reorg',
  auth: 'public',
  group,
  summary: 'Replaces the newest blocks by another branch',
  body: Type.Object({
    depth: Type.Integer({ minimum: 1, maximum: 100, description: 'Blocks to replace.' }),
    drop_txids: Type.Optional(
      Type.Array(TextInput('Transaction id.', 64), {
        maxItems: 100,
        description: 'Transactions that vanish; the others return in the new branch.',
      }),
    ),
  }),
  reply: { status: 200, description: 'The new head.', schema: Head },
  refusals: ['validation_error'],
})

const Provider = Type.Object({
  name: Type.String(),
  behaviour: Type.String(),
  price_sun: SunField('Wholesale price of one Energy.'),
  capacity: SunField('Energy it offers now.'),
})

export const getSandboxProviders = defineRoute({
  name: 'getSandboxProviders',
  method: 'GET',
  path: '/providers',
  auth: 'public',
  group,
  summary: 'Providers and how they behave',
  reply: {
    status: 200,
    description: 'All providers.',
    schema: Type.Object({ providers: Type.Array(Provider) }),
  },
  refusals: [],
})

const BEHAVIOURS = [
  'ok',
  'fail',
  'timeout_after_accept',
  'timeout_before_accept',
  'lost_delegation',
  'partial',
  'late',
  'taken_back',
  'down',
] as const

const Behaviour = Type.Unsafe<(typeof BEHAVIOURS)[number]>({
  type: 'string',
  enum: BEHAVIOURS,
  description:
    'ok delivers; fail refuses; timeout_after_accept takes the order and never answers; ' +
    'timeout_before_accept never answers and does nothing; lost_delegation names a transaction ' +
    'that never reaches the chain; partial delegates half; late delegates after 180 s; ' +
    'taken_back takes its Energy back 10 minutes after it was delegated; down is unreachable.',
})

export const postSandboxProvider = defineRoute({
  name: 'postSandboxProvider',
  method: 'POST',
  path: '/providers/{name}',
  auth: 'public',
  group,
  summary: 'Makes a provider behave',
  params: Type.Object({ name: Type.String({ description: 'Provider.' }) }),
  body: Type.Object({
    behaviour: Type.Optional(Behaviour),
    price_sun: Type.Optional(PositiveInput('Wholesale price of one Energy.')),
    delay_ms: Type.Optional(
      RangeInput('How long it waits between taking an order and delegating for it.', 0, 60_000, 0),
    ),
    capacity: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Energy.' }),
    ),
  }),
  reply: { status: 200, description: 'The provider.', schema: Provider },
  refusals: ['validation_error'],
})

export const postSandboxSettings = defineRoute({
  name: 'postSandboxSettings',
  method: 'POST',
  path: '/settings',
  auth: 'public',
  group,
  summary: "Changes the operator's settings",
  body: Type.Object({
    schedule: Type.Optional(
      Type.Array(PositiveInput('SUN per Energy.'), {
        minItems: 24,
        maxItems: 24,
        description: 'One price per UTC hour.',
      }),
    ),
    min_amount: Type.Optional(PositiveInput('Smallest order.')),
    max_amount: Type.Optional(PositiveInput('Largest order.')),
    purchases_enabled: Type.Optional(Type.Boolean({ description: 'The selling switch.' })),
    agent_enabled: Type.Optional(Type.Boolean({ description: 'The agent program takes changes.' })),
    min_balance_sun: Type.Optional(CountInput('Balance that an agent needs.')),
    max_configs: Type.Optional(CountInput('Configurations per account.')),
    max_generated: Type.Optional(CountInput('Dedicated addresses per account.')),
    autoenergy_enabled: Type.Optional(
      Type.Boolean({ description: 'Whether addresses can be subscribed.' }),
    ),
    plans: Type.Optional(
      Type.Array(PlanInput, {
        maxItems: 50,
        description: 'All AutoEnergy plans; plans that are left out are withdrawn.',
      }),
    ),
  }),
  reply: {
    status: 200,
    description: 'The settings in force.',
    schema: Type.Object({
      schedule: Type.Array(SunField('SUN per Energy.')),
      min_amount: SunField('Smallest order.'),
      max_amount: SunField('Largest order.'),
      purchases_enabled: Type.Boolean(),
      agent_enabled: Type.Boolean(),
      min_balance_sun: SunField('Balance that an agent needs.'),
      max_configs: SunField('Configurations per account.'),
      max_generated: SunField('Dedicated addresses per account.'),
      autoenergy_enabled: Type.Boolean(),
      plans: Type.Array(Plan),
    }),
  },
  refusals: ['validation_error'],
})

export const postSandboxAdminPause = defineRoute({
  name: 'postSandboxAdminPause',
  method: 'POST',
  path: '/agent/configs/{id}/admin-pause',
  auth: 'public',
  group,
  summary: 'Pauses a configuration as support would',
  params: patchAgentConfig.params,
  reply: patchAgentConfig.reply,
  refusals: ['not_found'],
})

const sinkId = Type.Object({ id: Type.String({ description: 'Sink id.' }) })
const answer = Type.Unsafe<200 | 500 | 'hang'>({
  enum: [200, 500, 'hang'],
  description: 'What it answers to deliveries; hang answers nothing.',
})

export const postSandboxSink = defineRoute({
  name: 'postSandboxSink',
  method: 'POST',
  path: '/webhook-sink',
  auth: 'public',
  group,
  summary: 'A receiver that records what it gets',
  description: 'POST /webhooks accepts its URL, although it is not public HTTPS.',
  reply: {
    status: 200,
    description: 'The receiver.',
    schema: Type.Object({ id: Type.String(), url: Type.String() }),
  },
  refusals: ['validation_error'],
})

export const getSandboxSink = defineRoute({
  name: 'getSandboxSink',
  method: 'GET',
  path: '/webhook-sink/{id}',
  auth: 'public',
  group,
  summary: 'What a receiver has got, in the order of arrival',
  params: sinkId,
  reply: {
    status: 200,
    description: 'All deliveries.',
    schema: Type.Object({
      deliveries: Type.Array(
        Type.Object({
          received_at: TimeField('When it arrived.'),
          headers: Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string' },
          }),
          raw_body: Type.String({ description: 'The body, byte for byte.' }),
        }),
      ),
    }),
  },
  refusals: ['not_found'],
})

export const postSandboxSinkAnswer = defineRoute({
  name: 'postSandboxSinkAnswer',
  method: 'POST',
  path: '/webhook-sink/{id}',
  auth: 'public',
  group,
  summary: 'Makes a receiver answer',
  params: sinkId,
  body: Type.Object({ answer }),
  reply: {
    status: 200,
    description: 'The receiver.',
    schema: Type.Object({ id: Type.String(), answer }),
  },
  refusals: ['not_found'],
})
