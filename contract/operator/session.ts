import { Type } from 'typebox'
import { TextInput } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group } from './fields.ts'

/** Signing in and out of the console. `public` means: no session yet, but a page of ours asks. */
const headers = Type.Object({
  cookie: Type.Optional(Type.String({ description: 'Sent by the browser.' })),
  'user-agent': Type.Optional(Type.String({ description: 'Sent by the browser.' })),
})
const Entered = Type.Object({
  totp_required: Type.Boolean({ description: 'True: a code of the app is needed next.' }),
})

export const postOperatorSignIn = defineRoute({
  name: 'postOperatorSignIn',
  method: 'POST',
  path: '/session/sign-in',
  auth: 'public',
  group,
  summary: 'Sign in as an operator',
  headers,
  body: Type.Object({
    email: TextInput('E-mail address.', 254),
    password: TextInput('Password.', 128),
  }),
  reply: { status: 200, schema: Entered, description: 'Signed in, or half way.' },
  refusals: ['invalid_login'],
})

export const postOperatorCode = defineRoute({
  name: 'postOperatorCode',
  method: 'POST',
  path: '/session/code',
  auth: 'public',
  group,
  summary: 'The second step: a code of the authenticator app, or a backup code',
  headers,
  body: Type.Object({ code: TextInput('From the app.', 32) }),
  reply: { status: 200, schema: Entered, description: 'Signed in.' },
  refusals: ['invalid_code', 'too_many_attempts'],
})

export const postOperatorSignOut = defineRoute({
  name: 'postOperatorSignOut',
  method: 'POST',
  path: '/session/sign-out',
  auth: 'public',
  group,
  summary: 'Sign out',
  headers,
  reply: { status: 200, schema: Type.Object({}), description: 'Signed out.' },
  refusals: [],
})

export const getOperatorSession = defineRoute({
  name: 'getOperatorSession',
  method: 'GET',
  path: '/session',
  auth: 'operator',
  group,
  summary: 'Who is signed in',
  reply: {
    status: 200,
    schema: Type.Object({ email: Type.String(), sandbox: Type.Boolean() }),
    description: 'The operator.',
  },
  refusals: [],
})
