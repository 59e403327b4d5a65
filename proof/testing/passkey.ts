import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { expect } from 'vitest'
import type { Visitor } from './visitor.ts'

// A device that keeps passkeys, in software: ES256 keys, attestation "none". Tests tell it to lie.

const FLAGS = { present: 1, verified: 4, attested: 0x40 }

type Creation = { challenge: string; rp_id: string; user_id: string }
type Request = { challenge: string; rp_id: string }
/** What a test makes wrong. */
type Lies = {
  origin?: string
  rpId?: string
  verified?: boolean
  present?: boolean
  /** Of the signature counter. */
  counter?: number
  type?: string
  userHandle?: string
  /** Another id than the key's. */
  id?: string
  crossOrigin?: boolean
  tamper?: boolean
}

/** As CBOR, of the few kinds that a credential needs. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (kind: number, size: number) => {
    const high = kind << 5
    if (size < 24) return Buffer.from([high | size])
    return size < 256
      ? Buffer.from([high | 24, size])
      : Buffer.from([high | 25, size >> 8, size & 255])
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const pairs = [...value].flatMap(([name, one]) => [cbor(name), cbor(one as number)])
  return Buffer.concat([head(5, value.size), ...pairs])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Has one passkey. `url` is where the service is told to be; browsers make passkeys for a name only. */
export function openDevice(url: string) {
  const origin = url.replace('127.0.0.1', 'localhost')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  let handle = ''

  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    )
  function authData(rpId: string, lies: Lies, attested = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.counter ?? counter)
    const flags =
      (lies.present === false ? 0 : FLAGS.present) |
      (lies.verified === false ? 0 : FLAGS.verified) |
      (attested.length > 0 ? FLAGS.attested : 0)
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), count, attested])
  }

  return {
    /** The body that adds its passkey. */
    make({ challenge, rp_id, user_id }: Creation, lies: Lies = {}) {
      handle = user_id
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id])
      const attested = Buffer.concat([credential, coseOf(publicKey)])
      const statement = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData(rp_id, lies, attested)],
      ])
      return {
        name: 'A key in software',
        id: id.toString('base64url'),
        client_data: clientData('webauthn.create', challenge, lies).toString('base64url'),
        attestation: cbor(statement).toString('base64url'),
        transports: ['internal'],
      }
    },

    /** The body that shows its passkey. */
    show({ challenge, rp_id }: Request, lies: Lies = {}) {
      counter += 1
      const data = clientData('webauthn.get', challenge, lies)
      const authenticator = authData(rp_id, lies)
      const signed = Buffer.concat([authenticator, sha256(data)])
      const signature = sign('sha256', signed, privateKey)
      if (lies.tamper) signature[signature.length - 1]! ^= 1
      return {
        id: lies.id ?? id.toString('base64url'),
        client_data: data.toString('base64url'),
        authenticator_data: authenticator.toString('base64url'),
        signature: signature.toString('base64url'),
        user_handle: lies.userHandle ?? handle,
      }
    },
    id: id.toString('base64url'),
  }
}

export type Device = ReturnType<typeof openDevice>

function coseOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

/** Adds the device's passkey; a client without a second factor gives the password. */
export async function addPasskey(visitor: Visitor, device: Device, password?: string) {
  const asked = await visitor.call('POST', '/passkeys/challenge', password ? { password } : {})
  expect([asked.status, asked.text]).toEqual([200, expect.anything()])
  const added = await visitor.call('POST', '/passkeys', device.make(asked.body))
  expect([added.status, added.body.name]).toEqual([201, 'A key in software'])
  return added.body as { id: string }
}

/** Signs in by the passkey, instead of a password or after it. */
export async function signInBy(visitor: Visitor, device: Device, secondStep = false) {
  const asked = await visitor.call('POST', '/session/passkey/challenge', {
    second_step: secondStep,
  })
  return visitor.call('POST', '/session/passkey', device.show(asked.body))
}

export async function stepUpBy(visitor: Visitor, device: Device) {
  const asked = await visitor.call('POST', '/session/step-up/challenge', {})
  return visitor.call('POST', '/session/step-up/passkey', device.show(asked.body))
}
