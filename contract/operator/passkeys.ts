import { Type } from 'typebox'
import { Entered, headers } from '../login.ts'
import {
  PasskeyCreation,
  PasskeyItem,
  PasskeyMade,
  PasskeyName,
  PasskeyRequest,
  PasskeyShown,
  PasskeyStep,
  Passkeys,
} from '../passkeyFields.ts'
import { defineRoute } from '../route.ts'
import { group } from './fields.ts'

// Passkeys of operators. All but the sign-in needs a second factor: who has only a password adds none.

const params = Type.Object({ id: Type.String() })

export const postOperatorPasskeySignInChallenge = defineRoute({
  name: 'postOperatorPasskeySignInChallenge',
  method: 'POST',
  path: '/session/passkey/challenge',
  auth: 'public',
  group,
  summary: 'A challenge for a passkey to sign in with; the same for everybody',
  headers,
  body: PasskeyStep,
  reply: { status: 200, schema: PasskeyRequest, description: 'The challenge.' },
  refusals: ['invalid_passkey'],
})

export const postOperatorPasskeySignIn = defineRoute({
  name: 'postOperatorPasskeySignIn',
  method: 'POST',
  path: '/session/passkey',
  auth: 'public',
  group,
  summary: 'Sign in as an operator by a passkey, instead of the password or after it',
  headers,
  body: PasskeyShown,
  reply: { status: 200, schema: Entered, description: 'Signed in.' },
  refusals: ['invalid_passkey', 'invalid_code'],
})

export const getOperatorPasskeys = defineRoute({
  name: 'getOperatorPasskeys',
  method: 'GET',
  path: '/passkeys',
  auth: 'operator',
  group,
  summary: 'Your passkeys',
  headers,
  reply: { status: 200, schema: Passkeys, description: 'Oldest first.' },
  refusals: [],
})

export const postOperatorPasskeyChallenge = defineRoute({
  name: 'postOperatorPasskeyChallenge',
  method: 'POST',
  path: '/passkeys/challenge',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'A challenge for a new passkey',
  headers,
  body: Type.Object({}),
  reply: { status: 200, schema: PasskeyCreation, description: 'The challenge.' },
  refusals: ['passkey_limit'],
})

export const postOperatorPasskey = defineRoute({
  name: 'postOperatorPasskey',
  method: 'POST',
  path: '/passkeys',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Add a passkey',
  headers,
  body: PasskeyMade,
  reply: { status: 201, schema: PasskeyItem, description: 'Added; it signs you in.' },
  refusals: ['invalid_passkey', 'passkey_limit'],
})

export const patchOperatorPasskey = defineRoute({
  name: 'patchOperatorPasskey',
  method: 'PATCH',
  path: '/passkeys/{id}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Rename a passkey',
  headers,
  params,
  body: PasskeyName,
  reply: { status: 200, schema: PasskeyItem, description: 'Renamed.' },
  refusals: ['passkey_not_found'],
})

export const deleteOperatorPasskey = defineRoute({
  name: 'deleteOperatorPasskey',
  method: 'DELETE',
  path: '/passkeys/{id}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Remove a passkey; all other sessions end',
  headers,
  params,
  reply: { status: 204, schema: Type.Null(), description: 'It signs nobody in any more.' },
  refusals: ['passkey_not_found'],
})

export const postOperatorStepUpChallenge = defineRoute({
  name: 'postOperatorStepUpChallenge',
  method: 'POST',
  path: '/session/step-up/challenge',
  auth: 'operator',
  group,
  summary: 'A challenge for your passkey, instead of a code',
  headers,
  body: Type.Object({}),
  reply: { status: 200, schema: PasskeyRequest, description: 'The challenge.' },
  refusals: ['second_factor_required'],
})

export const postOperatorStepUpPasskey = defineRoute({
  name: 'postOperatorStepUpPasskey',
  method: 'POST',
  path: '/session/step-up/passkey',
  auth: 'operator',
  group,
  summary: 'Show a passkey again; what needs one is open for ten minutes',
  headers,
  body: PasskeyShown,
  reply: { status: 200, schema: Type.Object({}), description: 'Open.' },
  refusals: ['invalid_passkey'],
})
