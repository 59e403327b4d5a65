import { request } from './api.ts'
import { messageOf } from './messages.ts'

// Passkeys by the browser's own functions. Loaded where one is used: most visits show none.

type Known = { id: string; transports: string[] }
type Asked = { challenge: string; rp_id: string; allow: Known[] }
type Wanted = {
  challenge: string
  rp_id: string
  rp_name: string
  user_id: string
  user_name: string
  algorithms: number[]
  exclude: Known[]
}

class NoPasskey extends Error {}

const TIMEOUT_MS = 5 * 60_000

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (one) => one.charCodeAt(0))
}

function textOf(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (one) => String.fromCharCode(one)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const credentialsOf = (known: Known[]) =>
  known.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: bytesOf(id),
    transports: transports as AuthenticatorTransport[],
  }))

/** Lets a passkey sign the challenge of `challengePath`, and sends the answer to `path`. */
export async function showPasskey<T>(
  base: string,
  {
    challenge: challengePath,
    answer,
    body = {},
  }: { challenge: string; answer: string; body?: object },
  waiting?: { mediation: 'conditional'; signal: AbortSignal },
): Promise<T> {
  const asked = await request<Asked>('POST', `${base}${challengePath}`, body)
  const found = (await navigator.credentials.get({
    ...waiting,
    publicKey: {
      challenge: bytesOf(asked.challenge),
      rpId: asked.rp_id,
      userVerification: 'required',
      timeout: TIMEOUT_MS,
      allowCredentials: credentialsOf(asked.allow),
    },
  })) as PublicKeyCredential | null
  if (!found) throw new NoPasskey(CANCELLED)
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    found.response as AuthenticatorAssertionResponse
  return request<T>('POST', `${base}${answer}`, {
    id: found.id,
    client_data: textOf(clientDataJSON),
    authenticator_data: textOf(authenticatorData),
    signature: textOf(signature),
    ...(userHandle && userHandle.byteLength > 0 && { user_handle: textOf(userHandle) }),
  })
}

/** Makes a passkey and adds it. `wish`: the password, where one is asked for. */
export async function addPasskey(base: string, name: string, wish: object): Promise<void> {
  const wanted = await request<Wanted>('POST', `${base}/passkeys/challenge`, wish)
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: bytesOf(wanted.challenge),
      rp: { id: wanted.rp_id, name: wanted.rp_name },
      user: {
        id: bytesOf(wanted.user_id),
        name: wanted.user_name,
        displayName: wanted.user_name,
      },
      pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      timeout: TIMEOUT_MS,
      excludeCredentials: credentialsOf(wanted.exclude),
    },
  })) as PublicKeyCredential | null
  if (!made) throw new NoPasskey(CANCELLED)
  const response = made.response as AuthenticatorAttestationResponse
  await request('POST', `${base}/passkeys`, {
    name,
    id: made.id,
    client_data: textOf(response.clientDataJSON),
    attestation: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  })
}

const CANCELLED = 'No passkey was shown. Try again, or use another way.'
/** What browsers throw, by name. */
const WORDS: Record<string, string> = {
  NotAllowedError: CANCELLED,
  AbortError: CANCELLED,
  InvalidStateError: 'This device has a passkey of this account already.',
  NotSupportedError: 'This device cannot keep a passkey that asks for a finger, face or PIN.',
  SecurityError: 'Passkeys work at the address of the service only, over https.',
}

export const passkeyWords = (error: unknown): string =>
  error instanceof NoPasskey
    ? error.message
    : (error instanceof DOMException && WORDS[error.name]) || messageOf(error)
