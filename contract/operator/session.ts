import { Type } from 'typebox'
import { CountField, EnumField, TextInput } from '../fields.ts'
import { Entered, headers, PasswordChange, password } from '../login.ts'
import { ROLES } from '../role.ts'
import { defineRoute } from '../route.ts'
import { group } from './fields.ts'

// Signing in and out of the console. `public` means: no session yet, but a page of ours asks.

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
    password: password('Password.'),
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
  headers,
  reply: {
    status: 200,
    schema: Type.Object({
      email: Type.String(),
      totp_enabled: Type.Boolean({
        description:
          'Without an app and a passkey nothing can be changed until `npx ergon operators totp` has set up an app.',
      }),
      passkeys: CountField('Passkeys of this operator.'),
      role: EnumField(
        [...ROLES],
        'What this operator may do; each role may do what those before it may.',
      ),
      may: Type.Array(Type.String(), {
        description: 'Paths of the changes that this role may make, as the routes have them.',
      }),
      sandbox: Type.Boolean(),
    }),
    description: 'The operator.',
  },
  refusals: [],
})

export const postOperatorPassword = defineRoute({
  name: 'postOperatorPassword',
  method: 'POST',
  path: '/session/password',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Change your password; your other sessions end',
  headers,
  body: PasswordChange,
  reply: { status: 200, schema: Type.Object({}), description: 'Changed.' },
  refusals: ['wrong_password'],
})

export const postOperatorStepUp = defineRoute({
  name: 'postOperatorStepUp',
  method: 'POST',
  path: '/session/step-up',
  auth: 'operator',
  group,
  summary: 'Show a code again; what needs one is open for ten minutes',
  headers,
  body: Type.Object({ code: TextInput('From the app, or a backup code.', 32) }),
  reply: { status: 200, schema: Type.Object({}), description: 'Open.' },
  refusals: ['invalid_code', 'too_many_attempts', 'second_factor_required'],
})
