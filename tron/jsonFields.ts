import { type HexAddress, isHexAddress, parseAddress } from './address.ts'
import { DecodeError } from './wire.ts'

// Readers of single fields of a node's JSON. java-tron omits zeros, so a caller that knows the default
// writes `int64(json.balance ?? 0, 'balance')`.

export function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new DecodeError(`${name} is not an object`)
}

// 21 bytes of hex, or base58check. Other hex is kept: the chain judges addresses ("Invalid
// address"), this package only reads them.
export function address(value: unknown, name: string): HexAddress {
  if (typeof value !== 'string') throw new DecodeError(`${name} is not hex`)
  if (isHexAddress(value)) return value
  return parseAddress(value) ?? hex(value, name)
}

// Searching for a wrong character is several times as fast as matching the whole text. Nodes print
// lower case, and toLowerCase copies the text even when nothing changes.
const notLowerHex = /[^0-9a-f]/
const notHex = /[^0-9a-fA-F]/

export function hex(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.length % 2 !== 0) {
    throw new DecodeError(`${name} is not hex`)
  }
  if (!notLowerHex.test(value)) return value
  if (notHex.test(value)) throw new DecodeError(`${name} is not hex`)
  return value.toLowerCase()
}

export function int64(value: unknown, name: string): bigint {
  // Most values are small or zero: the constant allocates no new object.
  if (Number.isSafeInteger(value)) return value === 0 ? 0n : BigInt(value as number)
  const exact =
    typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,19}$/.test(value))
  const integer = exact ? BigInt(value as bigint | string) : undefined
  if (integer === undefined || BigInt.asIntN(64, integer) !== integer) {
    throw new DecodeError(`${name} is not an int64`)
  }
  return integer
}

export function int32(value: unknown, name: string): number {
  const integer = int64(value, name)
  if (BigInt.asIntN(32, integer) !== integer) throw new DecodeError(`${name} is not an int32`)
  return Number(integer)
}

export function safeInteger(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const integer = Number(int64(value, name))
  if (!Number.isSafeInteger(integer)) throw new DecodeError(`${name} is out of range`)
  return integer
}

export function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new DecodeError(`${name} is not text`)
  return value
}

export function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new DecodeError(`${name} is not a list`)
  return value
}

/** java-tron prints "not found" as an empty object. */
export function isAbsent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** A 32-byte hash: a transaction id or a block id. */
export function hash(value: unknown, name: string): string {
  const digits = hex(value, name)
  if (digits.length !== 64) throw new DecodeError(`${name} is not 32 bytes`)
  return digits
}

const printable = /^[^\p{Cc}\p{Cn}]*$/u

/** Node messages come as text or as the hex of text, depending on the endpoint and on `visible`. */
export function nodeText(value: unknown): string {
  if (typeof value !== 'string') return ''
  if (value.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(value)) return value
  const decoded = Buffer.from(value, 'hex').toString('utf8')
  return printable.test(decoded.replace(/[\n\r\t]/g, '')) && !decoded.includes('\ufffd')
    ? decoded
    : value
}
