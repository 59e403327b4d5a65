import { Type } from 'typebox'
import { EnumField, TextInput } from './fields.ts'

// Schemas of signing in, for the workspace and the console.

/** Cookies are read by the sessions' routes, never by the client API. */
export const headers = Type.Object({
  cookie: Type.Optional(Type.String({ description: 'Sent by the browser.' })),
  'user-agent': Type.Optional(Type.String({ description: 'Sent by the browser.' })),
})

export const Entered = Type.Object({
  totp_required: Type.Boolean({ description: 'True: a second step is needed next.' }),
  second_step: Type.Array(EnumField(['code', 'passkey']), {
    description:
      'What the second step can be: a code of the authenticator app, or a passkey. Empty: signed in.',
  }),
})

export const password = (description: string) => TextInput(description, 128)

export const newPassword = Type.String({ format: 'text', minLength: 10, maxLength: 128 })

export const PasswordChange = Type.Object({
  current_password: password('As it is.'),
  new_password: newPassword,
})

export const TotpSecret = Type.Object({
  uri: Type.String({ description: 'For the QR code.' }),
  backup_codes: Type.Array(Type.String(), { description: 'Each works once. Shown once.' }),
})
