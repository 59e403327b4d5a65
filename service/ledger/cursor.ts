import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Position in a list of entries: below this version, on this account. Because of the seal, a cursor of
 * another account and an edited cursor are invalid.
 */
export function writeCursor(secret: Uint8Array, account: string, version: bigint): string {
  const place = Buffer.alloc(VERSION_BYTES)
  place.writeBigInt64BE(version)
  return Buffer.concat([place, seal(secret, account, place)]).toString('base64url')
}

/** Undefined for every text that `writeCursor` did not write for this account. */
export function readCursor(secret: Uint8Array, account: string, text: string): bigint | undefined {
  if (!FORM.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const place = bytes.subarray(0, VERSION_BYTES)
  const given = bytes.subarray(VERSION_BYTES)
  return timingSafeEqual(given, seal(secret, account, place)) ? place.readBigInt64BE() : undefined
}

const VERSION_BYTES = 8
/** 128 bits are enough: even a forged cursor would show only the account's own entries. */
const SEAL_BYTES = 16
/** 24 bytes are exactly 32 characters of base64url, so a cursor has one spelling. */
const FORM = /^[A-Za-z0-9_-]{32}$/

function seal(secret: Uint8Array, account: string, place: Uint8Array): Buffer {
  const mac = createHmac('sha256', secret).update(`ledger.entries ${account} `).update(place)
  return mac.digest().subarray(0, SEAL_BYTES)
}
