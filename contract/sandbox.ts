import { Type } from 'typebox'
import { AddressField, INTEGER_MAX, TextInput, TimeField } from './fields.ts'
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
      maximum: Math.min(INTEGER_MAX, 31_622_400),
      description: 'At most a year at once.',
    }),
  }),
  reply: { status: 200, description: 'Business time when the scanner has followed.', schema: Now },
  refusals: ['service_unavailable'],
})
