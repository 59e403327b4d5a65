import type { PasskeyRow } from './passkeys.sql.ts'

// What a browser returns, checked by @simplewebauthn/server. It is loaded with the first passkey, because loading it
// takes a while and 25 MB.

/** Base64url, as the browser has them. */
export type ShownPasskey = {
  id: string
  client_data: string
  authenticator_data: string
  signature: string
  user_handle?: string
}
export type NewPasskey = {
  id: string
  client_data: string
  attestation: string
  transports?: string[]
}

/** Where passkeys are made and shown. Comes from the settings: a Host header could name any site. */
export type Site = { rpId: string; origins: string[] }

/** EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

/**
 * Browsers bind passkeys to a name and refuse a number. A sandbox is at 127.0.0.1 and at localhost, and has them at
 * localhost.
 */
export function siteOf(webUrl: string): Site {
  const { origin, hostname } = new URL(webUrl)
  if (hostname !== '127.0.0.1') return { rpId: hostname, origins: [origin] }
  return { rpId: 'localhost', origins: [origin.replace(hostname, 'localhost')] }
}

/** A browser names a person's passkeys by this, and replaces one that has the same. */
export const handleOf = (userId: string) => Buffer.from(userId).toString('base64url')

type ClientData = { challenge?: unknown; crossOrigin?: unknown }

/** The challenge that was signed. Undefined for what no page of ours can have asked for. */
export function challengeIn(clientData: string): string | undefined {
  try {
    const read = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as ClientData | null
    // Our pages are in no frame of another site.
    if (typeof read?.challenge !== 'string' || read.crossOrigin === true) return undefined
    return read.challenge
  } catch {
    return undefined
  }
}

const credential = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
})
const expectedAt = ({ rpId, origins }: Site, expectedChallenge: string) => ({
  expectedChallenge,
  expectedOrigin: origins,
  expectedRPID: rpId,
  // A fingerprint, face or PIN at the device. So a passkey is two factors.
  requireUserVerification: true,
})

/** Undefined when it is not the answer of this passkey to this challenge at our site. */
export async function proofOf(
  shown: ShownPasskey,
  { passkey, challenge, site }: { passkey: PasskeyRow; challenge: string; site: Site },
): Promise<{ counter: number; synced: boolean } | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, client_data, authenticator_data, signature, user_handle } = shown
  if (user_handle && user_handle !== handleOf(passkey.userId)) return undefined
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expectedAt(site, challenge),
      response: {
        ...credential(id),
        response: {
          clientDataJSON: client_data,
          authenticatorData: authenticator_data,
          signature,
        },
      },
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.counter),
      },
    })
    if (!verified) return undefined
    const { newCounter: counter, credentialBackedUp: synced } = authenticationInfo
    return { counter, synced }
  } catch {
    // Whatever was wrong with it, the answer is the same.
    return undefined
  }
}

/** Undefined when it is not a passkey that was made for this challenge at our site. */
export async function madeBy(made: NewPasskey, challenge: string, site: Site) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, client_data, attestation } = made
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expectedAt(site, challenge),
      supportedAlgorithmIDs: ALGORITHMS,
      response: {
        ...credential(id),
        response: { clientDataJSON: client_data, attestationObject: attestation },
      },
    })
    if (!verified) return undefined
    const { credential: key, credentialBackedUp: synced } = registrationInfo
    return { credentialId: key.id, publicKey: key.publicKey, counter: key.counter, synced }
  } catch {
    return undefined
  }
}
