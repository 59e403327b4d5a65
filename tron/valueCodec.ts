import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Field, FieldKind } from './fields.ts'
import {
  DecodeError,
  EncodeError,
  expectBytes,
  expectInt64,
  readFields,
  type WireField,
  WireWriter,
} from './wire.ts'

/** A message as plain values: hex, bigint, number, boolean, enum names, nested values and lists. */
export type Value = Record<string, unknown>

// ignoreBOM keeps a leading U+FEFF in the text; without it, decoding would lose three bytes.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function encodeValue(fields: readonly Field[], value: Value): Uint8Array {
  const writer = new WireWriter()
  for (const field of fields) {
    const given = value[field.name]
    if (given === undefined) {
      if (field.presence === 'required') throw new EncodeError(`${field.name} is missing`)
      continue
    }
    const items = field.presence === 'list' ? (given as unknown[]) : [given]
    for (const item of items) encodeField(writer, field, item)
  }
  return writer.finish()
}

export function decodeValue(fields: readonly Field[], bytes: Uint8Array): Value {
  const value: Value = {}
  for (const field of fields) {
    if (field.presence === 'required') value[field.name] = defaultOf(field.kind)
    if (field.presence === 'list') value[field.name] = []
  }
  for (const wire of readFields(bytes)) {
    const field = fields.find(({ tag }) => tag === wire.tag)
    if (field) place(value, field, decodeField(field, wire))
  }
  return value
}

/** The proto3 default, which is not written; messages have none (presence is written). */
export function defaultOf(kind: FieldKind): unknown {
  if (kind === 'int64') return 0n
  if (kind === 'int32') return 0
  if (kind === 'bool') return false
  if (typeof kind === 'string') return ''
  return 'names' in kind ? kind.names[0] : undefined
}

/** Stores a decoded item: a later one with the same number replaces an earlier one. */
function place(value: Value, field: Field, item: unknown): void {
  if (field.presence === 'list') {
    ;(value[field.name] as unknown[]).push(item)
  } else if (field.presence === 'optional' && item === defaultOf(field.kind)) {
    delete value[field.name]
  } else {
    value[field.name] = item
  }
}

function encodeField(writer: WireWriter, field: Field, item: unknown): void {
  const { kind, tag } = field
  if (item === defaultOf(kind)) return
  if (typeof kind === 'object') {
    if ('message' in kind) writer.bytes(tag, encodeValue(kind.message, item as Value))
    else writer.varint(tag, BigInt(enumNumber(field, kind.names, item)))
  } else if (kind === 'int64') {
    if (typeof item !== 'bigint') throw new EncodeError(`${field.name} is not a bigint`)
    writer.varint(tag, item)
  } else if (kind === 'int32') {
    writer.varint(tag, encodeInt32(field.name, item))
  } else if (kind === 'bool') {
    if (item !== true) throw new EncodeError(`${field.name} is not a boolean`)
    writer.varint(tag, 1n)
  } else if (kind === 'text') {
    writer.bytes(tag, encodeText(field.name, item))
  } else {
    writer.bytes(tag, encodeHex(field.name, item))
  }
}

function decodeField(field: Field, wire: WireField): unknown {
  const { kind } = field
  if (kind === 'int64') return expectInt64(wire)
  if (kind === 'int32') return Number(BigInt.asIntN(32, expectInt64(wire)))
  if (kind === 'bool') return expectInt64(wire) !== 0n
  if (kind === 'text') return decodeText(expectBytes(wire))
  if (typeof kind === 'string') return bytesToHex(expectBytes(wire))
  if ('message' in kind) return decodeValue(kind.message, expectBytes(wire))
  const name = kind.names[Number(expectInt64(wire))]
  if (name === undefined) throw new DecodeError(`${field.name} has an unknown value`)
  return name
}

function enumNumber(field: Field, names: readonly string[], item: unknown): number {
  const number = names.indexOf(item as string)
  if (number < 0) throw new EncodeError(`${field.name} is not one of ${names.join(', ')}`)
  return number
}

export function encodeInt32(name: string, item: unknown): bigint {
  if (typeof item !== 'number' || (item | 0) !== item) throw new EncodeError(`${name} is no int32`)
  return BigInt(item)
}

export function encodeHex(name: string, item: unknown): Uint8Array {
  if (typeof item !== 'string' || item.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(item)) {
    throw new EncodeError(`${name} is not hex`)
  }
  return hexToBytes(item)
}

function encodeText(name: string, item: unknown): Uint8Array {
  // A lone surrogate would be written as U+FFFD, which is a different text.
  if (typeof item !== 'string' || !item.isWellFormed()) throw new EncodeError(`${name} is not text`)
  return new TextEncoder().encode(item)
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DecodeError('text is not UTF-8')
  }
}
