import { createHmac } from 'node:crypto'

/** The body exactly as it is signed and sent: keys in order, no spaces. */
export function canonicalJson(fields: Record<string, string | number>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(fields).toSorted(byName)))
}

/** Hex of HMAC-SHA256 over the time in seconds, an ampersand and the body. */
export function signItrx(secret: string, { at, body }: { at: string; body: string }): string {
  return createHmac('sha256', secret).update(`${at}&${body}`).digest('hex')
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
