import { bytesToHex } from '@noble/hashes/utils.js'
import { isHexAddress, toBase58 } from './address.ts'
import { type Contract, contractTypeOf, isContractType, type Permission } from './contracts.ts'
import { contractFields, type Field, permissionFields } from './fields.ts'
import { address, hex, int32, int64, list, object, safeInteger } from './jsonFields.ts'
import { encodeRaw, type RawTransaction, txId, typeUrl } from './transaction.ts'
import { defaultOf, type Value } from './valueCodec.ts'
import { DecodeError } from './wire.ts'

/** An int64 as parseJson reads it: a number if that is exact, else a bigint. */
export type JsonInteger = number | bigint

export type RawDataJson = {
  contract: [
    {
      parameter: { value: Record<string, unknown>; type_url: string }
      type: string
      Permission_id?: number
    },
  ]
  ref_block_bytes: string
  ref_block_hash: string
  expiration: number
  fee_limit?: JsonInteger
  timestamp?: number
  data?: string
}

export type TransactionJson = { txID: string; raw_data: RawDataJson; raw_data_hex: string }

/**
 * The transaction as java-tron prints it inside a block: zeros left out, addresses in hex or, with
 * `visible`, in base58. The caller adds `ret`, `signature` and `visible`. Give `rawBytes` when they
 * came from elsewhere: the id is of those bytes, not of what this package would encode.
 */
export function toJson(
  raw: RawTransaction,
  { visible, rawBytes = encodeRaw(raw) }: { visible: boolean; rawBytes?: Uint8Array },
): TransactionJson {
  const { type, value, permissionId = 0 } = raw.contract
  const parameter = {
    value: valueToJson(contractFields[type], value as Value, visible),
    type_url: typeUrl(type),
  }
  const raw_data: RawDataJson = {
    contract: [{ parameter, type, ...(permissionId === 0 ? {} : { Permission_id: permissionId }) }],
    ref_block_bytes: raw.refBlockBytes,
    ref_block_hash: raw.refBlockHash,
    expiration: raw.expiration,
    ...(raw.feeLimit === 0n ? {} : { fee_limit: jsonInteger(raw.feeLimit) }),
    ...(raw.timestamp === 0 ? {} : { timestamp: raw.timestamp }),
    ...(raw.data === '' ? {} : { data: raw.data }),
  }
  return { txID: txId(rawBytes), raw_data, raw_data_hex: bytesToHex(rawBytes) }
}

/** Reads a `raw_data` object, also an untrusted one: every error in it is a DecodeError. */
export function fromJson(rawDataJson: unknown): RawTransaction {
  const json = object(rawDataJson, 'raw_data')
  if (!Array.isArray(json.contract) || json.contract.length !== 1) {
    throw new DecodeError('not exactly one contract')
  }
  return {
    contract: contractFromJson(json.contract[0]),
    refBlockBytes: hex(json.ref_block_bytes ?? '', 'ref_block_bytes'),
    refBlockHash: hex(json.ref_block_hash ?? '', 'ref_block_hash'),
    expiration: safeInteger(json.expiration ?? 0, 'expiration'),
    timestamp: safeInteger(json.timestamp ?? 0, 'timestamp'),
    feeLimit: int64(json.fee_limit ?? 0, 'fee_limit'),
    data: hex(json.data ?? '', 'data'),
  }
}

/** Reads one item of raw_data.contract; unknown types are a DecodeError. */
export function contractFromJson(contractJson: unknown): Contract {
  const json = object(contractJson, 'contract')
  const given = json.type ?? 0
  const type = typeof given === 'number' ? contractTypeOf(given) : given
  if (typeof type !== 'string' || !isContractType(type)) {
    throw new DecodeError('contract type is not supported')
  }
  const parameter = object(json.parameter, 'parameter')
  const value = valueFromJson(contractFields[type], parameter.value)
  const permissionId = safeInteger(json.Permission_id ?? 0, 'Permission_id')
  return (permissionId === 0 ? { type, value } : { type, value, permissionId }) as Contract
}

/** Reads a permission as getaccount prints it, which is also its form in a contract. */
export function decodePermission(permissionJson: unknown): Permission {
  return valueFromJson(permissionFields, permissionJson) as Permission
}

export function jsonInteger(value: bigint): JsonInteger {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function valueToJson(fields: readonly Field[], value: Value, visible: boolean): Value {
  const json: Value = {}
  for (const field of fields) {
    const item = value[field.name]
    if (item === undefined || item === defaultOf(field.kind)) continue
    if (field.presence !== 'list') json[field.name] = itemToJson(field, item, visible)
    else if ((item as unknown[]).length > 0) {
      json[field.name] = (item as unknown[]).map((one) => itemToJson(field, one, visible))
    }
  }
  return json
}

function itemToJson({ kind }: Field, item: unknown, visible: boolean): unknown {
  if (typeof item === 'bigint') return jsonInteger(item)
  if (typeof kind === 'object' && 'message' in kind) {
    return valueToJson(kind.message, item as Value, visible)
  }
  // Bytes that are no address stay hex: their base58 would look like an address.
  if (kind === 'address' && visible && isHexAddress(item as string)) return toBase58(item as string)
  return item
}

function valueFromJson(fields: readonly Field[], valueJson: unknown): Value {
  const json = object(valueJson, 'value')
  const value: Value = {}
  for (const field of fields) {
    // java-tron treats null as an absent key.
    const given = json[field.name] ?? undefined
    if (field.presence === 'list') {
      const items = list(given ?? [], field.name)
      value[field.name] = items.map((item) => itemFromJson(field, item))
    } else if (given !== undefined) {
      const item = itemFromJson(field, given)
      const isLeftOut = field.presence === 'optional' && item === defaultOf(field.kind)
      if (!isLeftOut) value[field.name] = item
    } else if (field.presence === 'required') value[field.name] = defaultOf(field.kind)
  }
  return value
}

function itemFromJson({ kind, name }: Field, item: unknown): unknown {
  if (kind === 'int64') return int64(item, name)
  if (kind === 'int32') return int32(item, name)
  if (kind === 'address') return address(item, name)
  if (kind === 'bytes') return hex(item, name)
  if (kind === 'bool' && typeof item === 'boolean') return item
  if (kind === 'text' && typeof item === 'string' && item.isWellFormed()) return item
  if (typeof kind === 'string') throw new DecodeError(`${name} is not ${kind}`)
  if ('message' in kind) return valueFromJson(kind.message, item)
  const found = typeof item === 'number' ? kind.names[item] : item
  if (typeof found === 'string') {
    // The ABI of a compiler says "function" where java-tron says "Function"; it reads both.
    const capitalised = found.charAt(0).toUpperCase() + found.slice(1)
    if (kind.names.includes(capitalised)) return capitalised
  }
  throw new DecodeError(`${name} has an unknown value`)
}
