import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Contract, type ContractType, contractIds, contractTypeOf } from './contracts.ts'
import { contractFields } from './fields.ts'
import { decodeValue, encodeHex, encodeInt32, encodeValue, type Value } from './valueCodec.ts'
import {
  DecodeError,
  EncodeError,
  expectBytes,
  expectInt64,
  expectSafeInteger,
  readFields,
  type WireField,
  WireWriter,
} from './wire.ts'

/** What is signed. java-tron allows exactly one contract per transaction, so there is no list. */
export type RawTransaction = {
  contract: Contract
  /** 4 hex digits: the low 16 bits of the reference block's number. */
  refBlockBytes: string
  /** 16 hex digits: bytes 8 to 16 of the reference block's id. */
  refBlockHash: string
  expiration: number
  timestamp: number
  /** 0n = none. */
  feeLimit: bigint
  /** The memo as hex; '' = none. It need not be UTF-8. */
  data: string
}

export type SignedTransaction = {
  rawBytes: Uint8Array
  signatures: string[]
  /** The VM's result, written into blocks only; a transaction that is sent has none. */
  contractRet?: string
}

/** Tron.proto, Transaction.Result.contractResult: the index is the number on the wire. */
const contractResults = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
]

/** Field numbers of Transaction.raw (Tron.proto:432-446); fields are written in number order. */
const raw = {
  refBlockBytes: 1,
  refBlockHash: 4,
  expiration: 8,
  data: 10,
  contract: 11,
  timestamp: 14,
  feeLimit: 18,
}

export function encodeRaw(transaction: RawTransaction): Uint8Array {
  const { contract, refBlockBytes, refBlockHash, expiration, timestamp } = transaction
  const writer = new WireWriter()
  writeHex(writer, raw.refBlockBytes, refBlockBytes)
  writeHex(writer, raw.refBlockHash, refBlockHash)
  writeTime(writer, raw.expiration, expiration)
  writeHex(writer, raw.data, transaction.data)
  writer.bytes(raw.contract, encodeContract(contract))
  writeTime(writer, raw.timestamp, timestamp)
  if (transaction.feeLimit !== 0n) writer.varint(raw.feeLimit, transaction.feeLimit)
  return writer.finish()
}

/**
 * Reads what encodeRaw and other wallets wrote. Unknown fields (scripts, auths) are skipped, so a
 * signature covers the bytes and not the decoded value.
 */
export function decodeRaw(bytes: Uint8Array): RawTransaction {
  const decoded = {
    refBlockBytes: '',
    refBlockHash: '',
    expiration: 0,
    timestamp: 0,
    feeLimit: 0n,
    data: '',
  }
  const contracts: Contract[] = []
  for (const field of readFields(bytes)) {
    if (field.tag === raw.refBlockBytes) decoded.refBlockBytes = bytesToHex(expectBytes(field))
    else if (field.tag === raw.refBlockHash) decoded.refBlockHash = bytesToHex(expectBytes(field))
    else if (field.tag === raw.expiration) decoded.expiration = expectSafeInteger(field)
    else if (field.tag === raw.data) decoded.data = bytesToHex(expectBytes(field))
    else if (field.tag === raw.contract) contracts.push(decodeContract(expectBytes(field)))
    else if (field.tag === raw.timestamp) decoded.timestamp = expectSafeInteger(field)
    else if (field.tag === raw.feeLimit) decoded.feeLimit = expectInt64(field)
  }
  const [contract, ...more] = contracts
  if (!contract || more.length > 0) throw new DecodeError('not exactly one contract')
  return { contract, ...decoded }
}

/** The id of a transaction and the digest its signatures cover: sha256 of the raw bytes. */
export function txId(rawBytes: Uint8Array): string {
  return bytesToHex(sha256(rawBytes))
}

export function encodeTransaction(transaction: SignedTransaction): Uint8Array {
  const writer = new WireWriter().bytes(1, transaction.rawBytes)
  for (const signature of transaction.signatures) {
    writer.bytes(2, encodeHex('signature', signature))
  }
  if (transaction.contractRet !== undefined) {
    const result = contractResults.indexOf(transaction.contractRet)
    if (result < 0) throw new EncodeError(`unknown contractRet ${transaction.contractRet}`)
    const ret = new WireWriter()
    if (result > 0) ret.varint(3, BigInt(result))
    writer.bytes(5, ret.finish())
  }
  return writer.finish()
}

export function decodeTransaction(bytes: Uint8Array): SignedTransaction & { raw: RawTransaction } {
  let rawBytes: Uint8Array | undefined
  let contractRet: string | undefined
  const signatures: string[] = []
  for (const field of readFields(bytes)) {
    if (field.tag === 1) {
      // protobuf would merge two raw_data fields into one; no valid client sends two.
      if (rawBytes) throw new DecodeError('two raw_data')
      rawBytes = expectBytes(field)
    } else if (field.tag === 2) signatures.push(bytesToHex(expectBytes(field)))
    else if (field.tag === 5) contractRet ??= decodeContractRet(expectBytes(field))
  }
  if (!rawBytes) throw new DecodeError('no raw_data')
  const decoded = { rawBytes, raw: decodeRaw(rawBytes), signatures }
  return contractRet === undefined ? decoded : { ...decoded, contractRet }
}

export function typeUrl(type: ContractType): string {
  return `type.googleapis.com/protocol.${type}`
}

function encodeContract({ type, value, permissionId = 0 }: Contract): Uint8Array {
  const parameter = new WireWriter()
    .bytes(1, new TextEncoder().encode(typeUrl(type)))
    .bytes(2, encodeValue(contractFields[type], value as Value))
    .finish()
  const writer = new WireWriter()
  const id = contractIds[type]
  // AccountCreateContract is number 0, and a zero is not written.
  if (id !== 0) writer.varint(1, BigInt(id))
  writer.bytes(2, parameter)
  if (permissionId !== 0) writer.varint(5, encodeInt32('permissionId', permissionId))
  return writer.finish()
}

function decodeContract(bytes: Uint8Array): Contract {
  const fields = readFields(bytes)
  const id = lastInteger(fields, 1)
  const type = contractTypeOf(id)
  if (!type) throw new DecodeError(`contract type ${id} is not supported`)
  const parameter = fields.findLast(({ tag }) => tag === 2)
  if (!parameter) throw new DecodeError('contract without parameter')
  const value = decodeParameter(type, readFields(expectBytes(parameter)))
  const permissionId = lastInteger(fields, 5)
  // The tables of fields.ts justify this cast; the property tests check them.
  return { type, value, ...(permissionId === 0 ? {} : { permissionId }) } as Contract
}

function decodeParameter(type: ContractType, any: WireField[]): Value {
  const url = any.findLast(({ tag }) => tag === 1)
  // java-tron unpacks by the name in the URL and refuses another name than the type's.
  const name = url ? new TextDecoder().decode(expectBytes(url)).split('/').at(-1) : undefined
  if (name !== `protocol.${type}`) throw new DecodeError('type_url is not the contract type')
  const value = any.findLast(({ tag }) => tag === 2)
  return decodeValue(contractFields[type], value ? expectBytes(value) : new Uint8Array())
}

function decodeContractRet(bytes: Uint8Array): string {
  const name = contractResults[lastInteger(readFields(bytes), 3)]
  if (name === undefined) throw new DecodeError('unknown contractRet')
  return name
}

function lastInteger(fields: WireField[], tag: number): number {
  const field = fields.findLast((candidate) => candidate.tag === tag)
  return field ? expectSafeInteger(field) : 0
}

function writeHex(writer: WireWriter, tag: number, hex: string): void {
  if (hex !== '') writer.bytes(tag, encodeHex('raw_data', hex))
}

function writeTime(writer: WireWriter, tag: number, ms: number): void {
  if (!Number.isSafeInteger(ms)) throw new EncodeError(`not a time in milliseconds: ${ms}`)
  if (ms !== 0) writer.varint(tag, BigInt(ms))
}
