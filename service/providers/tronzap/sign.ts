import { createHash } from 'node:crypto'

/** Hex of plain SHA-256, not HMAC, over the body as sent with the secret behind it. */
export function signTronZap(secret: string, body: string): string {
  return createHash('sha256').update(`${body}${secret}`).digest('hex')
}
