import { createHmac } from 'node:crypto'

/** HMAC-SHA256 over `{timestamp}.{body}`, keyed with the secret as the client has it. */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

/** Headers of one attempt. During a rotation the new secret signs beside the previous one. */
export function headersOf(delivery: {
  id: string
  type: string
  body: string
  timestamp: number
  secrets: readonly [string, string?]
}): Record<string, string> {
  const { id, type, body, timestamp, secrets } = delivery
  const [signing, next] = secrets
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Ergon-Webhooks/1',
    'X-Service-Event': type,
    'X-Service-Delivery': id,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': signatureOf(signing, timestamp, body),
    ...(next !== undefined && { 'X-Service-Signature-Next': signatureOf(next, timestamp, body) }),
  }
}
