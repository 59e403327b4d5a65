import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Position in a list of entries: below this version, on this account. Because of the seal, a cursor of
 * another account and an edited cursor are invalid.
 */
export function writeCursor(secret: Uint8Array, account: string, version: bigint): string {
  const place = Buffer.alloc(VERSION_BYTES)
  place.writeBigInt64BE(version)
  return sealPlace(secret, `ledger.entries ${account}`, place)
}

/** Undefined for every text that `writeCursor` did not write for this account. */
export function readCursor(secret: Uint8Array, account: string, text: string): bigint | undefined {
  return openPlace(secret, `ledger.entries ${account}`, {
    text,
    bytes: VERSION_BYTES,
  })?.readBigInt64BE()
}

/** A place in a list as text. `of` names the list and its owner: for another one the text is invalid. */
export function sealPlace(secret: Uint8Array, of: string, place: Uint8Array): string {
  return Buffer.concat([place, seal(secret, of, place)]).toString('base64url')
}

/** The place, which has so many bytes; undefined for every text that `sealPlace` did not write for the same list. */
export function openPlace(
  secret: Uint8Array,
  of: string,
  { text, bytes }: { text: string; bytes: number },
): Buffer | undefined {
  const all = Buffer.from(text, 'base64url')
  // Compared as text too, because a place has one spelling.
  if (all.length !== bytes + SEAL_BYTES || all.toString('base64url') !== text) return undefined
  const place = all.subarray(0, bytes)
  return timingSafeEqual(all.subarray(bytes), seal(secret, of, place)) ? place : undefined
}

const VERSION_BYTES = 8
/** 128 bits are enough: even a forged cursor would show only the account's own entries. */
const SEAL_BYTES = 16

function seal(secret: Uint8Array, of: string, place: Uint8Array): Buffer {
  const mac = createHmac('sha256', secret).update(`${of} `).update(place)
  return mac.digest().subarray(0, SEAL_BYTES)
}
