import { Type } from 'typebox'
import { Entered, headers } from './login.ts'
import {
  PasskeyCreation,
  PasskeyItem,
  PasskeyMade,
  PasskeyName,
  PasskeyRequest,
  PasskeyShown,
  PasskeyStep,
  Passkeys,
  PasskeyWish,
} from './passkeyFields.ts'
import { defineRoute } from './route.ts'

/** Passkeys of people who use the workspace. */
const group = 'Session'
const params = Type.Object({ id: Type.String() })

export const postPasskeySignInChallenge = defineRoute({
  name: 'postPasskeySignInChallenge',
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

export const postPasskeySignIn = defineRoute({
  name: 'postPasskeySignIn',
  method: 'POST',
  path: '/session/passkey',
  auth: 'public',
  group,
  summary: 'Sign in by a passkey, instead of the password or after it',
  headers,
  body: PasskeyShown,
  reply: { status: 200, schema: Entered, description: 'Signed in.' },
  refusals: ['invalid_passkey', 'invalid_code'],
})

export const getPasskeys = defineRoute({
  name: 'getPasskeys',
  method: 'GET',
  path: '/passkeys',
  auth: 'session',
  group,
  summary: 'Your passkeys',
  headers,
  reply: { status: 200, schema: Passkeys, description: 'Oldest first.' },
  refusals: [],
})

export const postPasskeyChallenge = defineRoute({
  name: 'postPasskeyChallenge',
  method: 'POST',
  path: '/passkeys/challenge',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'A challenge for a new passkey',
  headers,
  body: PasskeyWish,
  reply: { status: 200, schema: PasskeyCreation, description: 'The challenge.' },
  refusals: ['wrong_password', 'passkey_limit'],
})

export const postPasskey = defineRoute({
  name: 'postPasskey',
  method: 'POST',
  path: '/passkeys',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Add a passkey',
  headers,
  body: PasskeyMade,
  reply: { status: 201, schema: PasskeyItem, description: 'Added; it signs you in.' },
  refusals: ['invalid_passkey', 'passkey_limit'],
})

export const patchPasskey = defineRoute({
  name: 'patchPasskey',
  method: 'PATCH',
  path: '/passkeys/{id}',
  auth: 'session',
  group,
  summary: 'Rename a passkey',
  headers,
  params,
  body: PasskeyName,
  reply: { status: 200, schema: PasskeyItem, description: 'Renamed.' },
  refusals: ['passkey_not_found'],
})

export const deletePasskey = defineRoute({
  name: 'deletePasskey',
  method: 'DELETE',
  path: '/passkeys/{id}',
  auth: 'session',
  secondFactor: 'if_set_up',
  group,
  summary: 'Remove a passkey; all other sessions end',
  headers,
  params,
  reply: { status: 204, schema: Type.Null(), description: 'It signs nobody in any more.' },
  refusals: ['passkey_not_found'],
})

export const postStepUpChallenge = defineRoute({
  name: 'postStepUpChallenge',
  method: 'POST',
  path: '/session/step-up/challenge',
  auth: 'session',
  group,
  summary: 'A challenge for your passkey, instead of a code',
  headers,
  body: Type.Object({}),
  reply: { status: 200, schema: PasskeyRequest, description: 'The challenge.' },
  refusals: ['second_factor_required'],
})

export const postStepUpPasskey = defineRoute({
  name: 'postStepUpPasskey',
  method: 'POST',
  path: '/session/step-up/passkey',
  auth: 'session',
  group,
  summary: 'Show a passkey again; keys and wallets can be changed for ten minutes',
  headers,
  body: PasskeyShown,
  reply: { status: 200, schema: Type.Object({}), description: 'Open.' },
  refusals: ['invalid_passkey'],
})
