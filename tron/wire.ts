/** The bytes are invalid. The only error that a decoder of this package throws. */
export class DecodeError extends Error {
  override name = 'DecodeError'
}

/** The value cannot be encoded: a fault of the caller. */
export class EncodeError extends Error {
  override name = 'EncodeError'
}

const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)
const fieldNumberMax = 2n ** 29n - 1n

const varintType = 0
const fixed64Type = 1
const bytesType = 2
const fixed32Type = 5

/** Writes protobuf fields in the given order. The caller leaves out default values. */
export class WireWriter {
  #chunks: Uint8Array[] = []
  #length = 0

  varint(tag: number, value: bigint): this {
    this.#push(encodeVarint(BigInt(tag * 8 + varintType)))
    this.#push(encodeVarint(value))
    return this
  }

  bytes(tag: number, value: Uint8Array): this {
    this.#push(encodeVarint(BigInt(tag * 8 + bytesType)))
    this.#push(encodeVarint(BigInt(value.length)))
    this.#push(value)
    return this
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.#length)
    let at = 0
    for (const chunk of this.#chunks) {
      out.set(chunk, at)
      at += chunk.length
    }
    return out
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }
}

/** A field as it is on the wire. `varint` is the unsigned 64-bit pattern. */
export type WireField =
  | { tag: number; kind: 'varint'; value: bigint }
  | { tag: number; kind: 'bytes'; value: Uint8Array }
  | { tag: number; kind: 'fixed'; value: Uint8Array }

/** Splits a message into its fields; groups and truncated fields are a DecodeError. */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = []
  let at = 0
  while (at < bytes.length) {
    const [key, afterKey] = readVarint(bytes, at)
    const tag = Number(key >> 3n)
    if (key >> 3n === 0n || key >> 3n > fieldNumberMax) throw new DecodeError('bad field number')
    const type = Number(key & 7n)
    if (type === varintType) {
      const [value, next] = readVarint(bytes, afterKey)
      fields.push({ tag, kind: 'varint', value })
      at = next
      continue
    }
    const [start, length] = span(bytes, afterKey, type)
    if (length > bytes.length - start) throw new DecodeError('truncated field')
    const value = bytes.slice(start, start + length)
    fields.push({ tag, kind: type === bytesType ? 'bytes' : 'fixed', value })
    at = start + length
  }
  return fields
}

export function expectBytes(field: WireField): Uint8Array {
  if (field.kind !== 'bytes') throw new DecodeError(`field ${field.tag} is not bytes`)
  return field.value
}

export function expectInt64(field: WireField): bigint {
  if (field.kind !== 'varint') throw new DecodeError(`field ${field.tag} is not a varint`)
  return BigInt.asIntN(64, field.value)
}

/** An int64 that this package holds as a number: a timestamp, a block number, a small id. */
export function expectSafeInteger(field: WireField): number {
  const value = Number(expectInt64(field))
  if (!Number.isSafeInteger(value)) throw new DecodeError(`field ${field.tag} is out of range`)
  return value
}

function span(bytes: Uint8Array, at: number, type: number): [start: number, length: number] {
  if (type === fixed64Type) return [at, 8]
  if (type === fixed32Type) return [at, 4]
  if (type !== bytesType) throw new DecodeError(`wire type ${type}`)
  const [length, start] = readVarint(bytes, at)
  if (length > BigInt(bytes.length)) throw new DecodeError('truncated field')
  return [start, Number(length)]
}

function readVarint(bytes: Uint8Array, start: number): [value: bigint, next: number] {
  let value = 0n
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i]
    if (byte === undefined) throw new DecodeError('truncated varint')
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return [BigInt.asUintN(64, value), start + i + 1]
  }
  throw new DecodeError('varint longer than 10 bytes')
}

// A negative int64 is its two's complement, so always ten bytes, as in protobuf.
function encodeVarint(value: bigint): Uint8Array {
  if (value < int64Min || value > int64Max) throw new EncodeError(`not an int64: ${value}`)
  let rest = BigInt.asUintN(64, value)
  const out: number[] = []
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
  return Uint8Array.from(out)
}
