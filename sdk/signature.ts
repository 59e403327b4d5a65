import { ErgonError } from './errors.ts'
import type { WebhookEvent } from './events.ts'
import { parseJson, stringifyJson } from './json.ts'

/** How old a signature may be, and how far the service's clock may be ahead. */
const TOLERANCE_S = 300

export type WebhookProblem = 'header_missing' | 'stale' | 'signature' | 'body'

/** The delivery was not signed by the service with your secret, or is a replay of an old one. */
export class WebhookError extends ErgonError {
  override name = 'WebhookError'
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** A `Headers`, or the plain object of Node's servers. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | string[] | undefined>>

export type Delivery = {
  /** The bytes as they arrived; a body that was parsed and serialized again does not verify. */
  body: string | Uint8Array | ArrayBuffer
  headers: HeadersLike
  /** Several during a rotation. */
  secret: string | readonly string[]
  toleranceSeconds?: number
  /** For tests: milliseconds since 1970. */
  now?: number
}

/**
 * Returns the event of a delivery that the service signed within the last 300 s, and throws a
 * WebhookError otherwise. During a rotation either signature may match: X-Service-Signature by the
 * old secret or X-Service-Signature-Next by the new one.
 */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const { headers, secret, toleranceSeconds = TOLERANCE_S, now = Date.now() } = delivery
  const timestamp = headerOf(headers, 'x-service-timestamp')
  const signature = headerOf(headers, 'x-service-signature')
  if (!timestamp || !signature) {
    const missing = timestamp ? 'X-Service-Signature' : 'X-Service-Timestamp'
    throw new WebhookError('header_missing', `the header ${missing} is missing`)
  }
  const age = Math.abs(now / 1_000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds) {
    throw new WebhookError('stale', `the timestamp is not within ${toleranceSeconds} s of now`)
  }
  const body = bytesOf(delivery.body)
  const given = [signature, headerOf(headers, 'x-service-signature-next') ?? '']
  let matches = 0
  // Compares all combinations, so that the time does not show which one matched.
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const expected = await signatureOf(one, timestamp, body)
    for (const candidate of given) matches |= isEqual(candidate, expected)
  }
  if (matches === 0) throw new WebhookError('signature', 'the signature does not match')
  return readEvent(body)
}

export type SignedDelivery = { body: string; headers: Record<string, string> }

/** A delivery as the service would send it, for tests of your receiver. */
export async function signWebhook(given: {
  secret: string
  event: { type: string; data: unknown; id?: string; created_at?: string }
  /** During a rotation: signs X-Service-Signature-Next. */
  nextSecret?: string
  deliveryId?: string
  /** Milliseconds since 1970. */
  now?: number
}): Promise<SignedDelivery> {
  const { secret, event, nextSecret, now = Date.now() } = given
  const created_at = new Date(now).toISOString()
  const id = crypto.randomUUID()
  const body = stringifyJson({ id, created_at, audience: 'customer', ...event })
  const timestamp = String(Math.floor(now / 1_000))
  const sign = (key: string) => signatureOf(key, timestamp, bytesOf(body))
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-event': event.type,
      'x-service-delivery': given.deliveryId ?? crypto.randomUUID(),
      'x-service-timestamp': timestamp,
      'x-service-signature': await sign(secret),
      ...(nextSecret !== undefined && { 'x-service-signature-next': await sign(nextSecret) }),
    },
  }
}

async function signatureOf(secret: string, timestamp: string, body: Uint8Array): Promise<string> {
  const { subtle } = crypto
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign'])
  const prefix = bytesOf(`${timestamp}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  const mac = new Uint8Array(await subtle.sign('HMAC', key, signed))
  return `v1=${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/**
 * 1 when equal. Compares every character of the expected text, so that the time reveals nothing.
 */
function isEqual(given: string, expected: string): 0 | 1 {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at++) {
    difference |= (given.charCodeAt(at) | 0) ^ expected.charCodeAt(at)
  }
  return difference === 0 ? 1 : 0
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    const event = parseJson(new TextDecoder().decode(body)) as WebhookEvent
    if (typeof event?.type === 'string') return event
  } catch {
    // Signed and not JSON: reported below like every body that is no event.
  }
  throw new WebhookError('body', 'the body is not an event')
}

function headerOf(headers: HeadersLike, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const plain = headers as Readonly<Record<string, string | string[] | undefined>>
  const value =
    plain[name] ?? Object.entries(plain).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(value) ? value[0] : value
}

function bytesOf(value: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof value === 'string') return new TextEncoder().encode(value)
  return new Uint8Array(value)
}
