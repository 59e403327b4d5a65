import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { HexAddress } from './address.ts'
import { recover, sign } from './signature.ts'

const header = '\x19TRON Signed Message:\n'

/**
 * TronWeb's V2 form: the header contains the byte length of the message. A string is UTF-8 text and
 * never taken for hex. (The older form has a fixed "32" there; it is not offered.)
 */
export function hashMessageV2(message: string | Uint8Array): string {
  const body = typeof message === 'string' ? new TextEncoder().encode(message) : message
  const head = new TextEncoder().encode(header + body.length)
  return `0x${bytesToHex(keccak_256(concatBytes(head, body)))}`
}

export function signMessageV2(message: string | Uint8Array, privateKeyHex: string): string {
  return `0x${sign(hashMessageV2(message), privateKeyHex)}`
}

/** The address of the key that signed; the chain decides what that key is allowed to do. */
export function verifyMessageV2(
  message: string | Uint8Array,
  signature: string,
): HexAddress | undefined {
  return recover(hashMessageV2(message), signature)
}
