import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Received } from './receiver.ts'

/** Written from the contract's text alone, as a client would write it. */
export function verified(secret: string, { headers, body }: Received) {
  const timestamp = String(headers['x-service-timestamp'])
  const given = Buffer.from(String(headers['x-service-signature']))
  const made = `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
  const fresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300
  if (!fresh || given.length !== made.length) throw new Error('stale, or no signature')
  if (!timingSafeEqual(given, Buffer.from(made))) throw new Error('not signed by this secret')
  return JSON.parse(body)
}
