import { Type } from 'typebox'
import { Nullable, TextInput, TimeField } from './fields.ts'
import { password } from './login.ts'

// Schemas of passkeys, for the workspace and the console. Bytes are base64url, as browsers have them.

const bytes = (description: string, maxLength: number) => TextInput(description, maxLength)

const challenge = Type.String({ description: 'To be signed within five minutes, once.' })
const rp_id = Type.String({ description: 'The host that the passkey belongs to.' })
const Known = Type.Object({
  id: Type.String({ description: 'Of the credential.' }),
  transports: Type.Array(Type.String()),
})

/** For navigator.credentials.get. */
export const PasskeyRequest = Type.Object({
  challenge,
  rp_id,
  allow: Type.Array(Known, {
    description: 'Passkeys that may answer; empty: the person chooses.',
  }),
})

/** For navigator.credentials.create. */
export const PasskeyCreation = Type.Object({
  challenge,
  rp_id,
  rp_name: Type.String(),
  user_id: Type.String(),
  user_name: Type.String(),
  algorithms: Type.Array(Type.Integer(), { description: 'Of COSE, the best first.' }),
  exclude: Type.Array(Known, { description: 'Passkeys that the person has.' }),
})

/** What navigator.credentials.get gave. */
export const PasskeyShown = Type.Object({
  id: bytes('Of the credential.', 1_400),
  client_data: bytes('clientDataJSON.', 8_000),
  authenticator_data: bytes('authenticatorData.', 8_000),
  signature: bytes('signature.', 8_000),
  user_handle: Type.Optional(bytes('userHandle, if there is one.', 200)),
})

const nameOf = (description: string) =>
  Type.String({ format: 'text', minLength: 1, maxLength: 60, pattern: '\\S', description })

/** What navigator.credentials.create gave. */
export const PasskeyMade = Type.Object({
  name: nameOf('To tell it from others, such as the device.'),
  id: bytes('Of the credential.', 1_400),
  client_data: bytes('clientDataJSON.', 8_000),
  attestation: bytes('attestationObject.', 40_000),
  transports: Type.Optional(
    Type.Array(Type.String({ format: 'text', pattern: '^[a-z-]{1,20}$' }), {
      maxItems: 10,
      description: 'getTransports().',
    }),
  ),
})

export const PasskeyName = Type.Object({ name: nameOf('The new name.') })

export const PasskeyItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  synced: Type.Boolean({ description: "Whether it is copied to the person's other devices." }),
  created_at: TimeField('When it was added.'),
  last_used_at: Nullable(TimeField('When it was last shown; null: never.')),
})

export const Passkeys = Type.Object({ passkeys: Type.Array(PasskeyItem) })

export const PasskeyWish = Type.Object({
  password: Type.Optional(
    password('Needed by who has one, and neither an authenticator app nor a passkey.'),
  ),
})
export const PasskeyStep = Type.Object({
  second_step: Type.Optional(
    Type.Boolean({ description: 'True: after the password. False: instead of it.' }),
  ),
})
