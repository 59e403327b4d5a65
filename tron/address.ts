import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'

/** 42 lower-case hex digits: 0x41 and the 20 bytes of the account. Base58 exists only at the edges. */
export type HexAddress = string

export class AddressError extends Error {
  override name = 'AddressError'
}

const base58check = createBase58check(sha256)
const hexLength = 42
// Searching for a wrong character is several times as fast as matching the whole text.
const notLowerHex = /[^0-9a-f]/
// Every address with prefix 0x41 has exactly 34 characters. The check keeps long input away from
// base58's quadratic decoder.
const base58Length = 34

export function toHex(base58: string): HexAddress {
  const hex = decode(base58)
  if (hex === undefined) throw new AddressError(`not a TRON address: ${base58.slice(0, 64)}`)
  return hex
}

export function toBase58(hex: HexAddress): string {
  if (!isHexAddress(hex)) throw new AddressError(`not a hex TRON address: ${hex.slice(0, 64)}`)
  return base58check.encode(hexToBytes(hex))
}

/** Whether the text is a base58check address with prefix 0x41. Hex is not accepted here. */
export function isAddress(text: string): boolean {
  return decode(text) !== undefined
}

/** Reads base58check, or hex with its 41 (any case, with or without 0x), into the internal form. */
export function parseAddress(text: string): HexAddress | undefined {
  const lower = text.toLowerCase().replace(/^0x/, '')
  return isHexAddress(lower) ? lower : decode(text)
}

export function isHexAddress(text: string): boolean {
  return text.length === hexLength && text.startsWith('41') && !notLowerHex.test(text)
}

function decode(base58: string): HexAddress | undefined {
  if (base58.length !== base58Length) return undefined
  try {
    const hex = bytesToHex(base58check.decode(base58))
    return isHexAddress(hex) ? hex : undefined
  } catch {
    return undefined
  }
}
