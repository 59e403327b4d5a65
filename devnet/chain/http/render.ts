import {
  contractFields,
  contractIds,
  decodeTransaction,
  encodeValue,
  type HexAddress,
  isHexAddress,
  jsonInteger,
  type Permission,
  toBase58,
  toJson,
  typeUrl,
} from '@ergon/tron'
import type { Block, InfoJson } from '../blockStore.ts'
import type { Executed, Incoming } from '../execute.ts'
import { hashOrder } from './hashOrder.ts'

type Json = Record<string, unknown>

/** An address as `visible` asks for it. */
export function show(address: HexAddress, visible: boolean): string {
  return visible && isHexAddress(address) ? toBase58(address) : address
}

/** java-tron's printer leaves out whatever has its default. */
export function omitDefaults(json: Json): Json {
  const shown: Json = {}
  for (const [key, value] of Object.entries(json)) {
    const isDefault =
      value === 0n || value === 0 || value === '' || value === false || value === undefined
    if (isDefault || (Array.isArray(value) && value.length === 0)) continue
    shown[key] = typeof value === 'bigint' ? jsonInteger(value) : value
  }
  return shown
}

export function transactionJson(
  transaction: Omit<Incoming, 'txid'> & { contractRet?: string },
  visible: boolean,
): Json {
  const { raw, rawBytes, signatures, contractRet } = transaction
  const { txID, raw_data, raw_data_hex } = toJson(raw, { visible, rawBytes })
  return {
    ...(contractRet === undefined ? {} : { ret: [{ contractRet }] }),
    ...(signatures.length > 0 ? { signature: signatures } : {}),
    txID,
    raw_data: hashOrder(omitDefaults(raw_data)),
    raw_data_hex,
  }
}

/** protobuf's own JSON, in the order of the field numbers: the contract's value is only bytes. */
export function plainJson({ raw, signatures }: Incoming): Json {
  const { type, value, permissionId = 0 } = raw.contract
  const bytes = encodeValue(contractFields[type], value)
  const contract = omitDefaults({
    type: contractIds[type] === 0 ? undefined : type,
    parameter: { type_url: typeUrl(type), value: Buffer.from(bytes).toString('hex') },
    Permission_id: permissionId,
  })
  return omitDefaults({
    raw_data: omitDefaults({
      ref_block_bytes: raw.refBlockBytes,
      ref_block_hash: raw.refBlockHash,
      expiration: raw.expiration,
      data: raw.data,
      contract: [contract],
      timestamp: raw.timestamp,
      fee_limit: raw.feeLimit,
    }),
    signature: signatures,
  })
}

export function storedTransactionJson(bytes: Uint8Array, visible: boolean): Json {
  return transactionJson(decodeTransaction(bytes), visible)
}

/** A transaction of the pool has the verdict that it would have in a block. */
export function pooledJson({ transaction, contractRet }: Executed, visible: boolean): Json {
  return transactionJson({ ...transaction, contractRet }, visible)
}

/** `transactions` is absent in an empty block, and when the caller asked for the header only. */
export function blockJson(block: Block, { visible, detail = true }: BlockForm): Json {
  const { header } = block
  const raw_data = omitDefaults({
    number: header.number,
    txTrieRoot: header.txTrieRoot,
    witness_address: show(header.witness_address, visible),
    parentHash: header.parentHash,
    version: header.version,
    timestamp: header.timestamp,
  })
  const transactions = detail
    ? block.transactions.map((bytes) => storedTransactionJson(bytes, visible))
    : []
  return {
    blockID: block.id,
    block_header: omitDefaults({ raw_data, witness_signature: block.witnessSignature }),
    ...(transactions.length > 0 ? { transactions } : {}),
  }
}

export type BlockForm = { visible: boolean; detail?: boolean }

/** Stored infos are hex. Visible ones have base58 addresses, log addresses included. */
export function infoJson(info: InfoJson, visible: boolean): Json {
  if (!visible) return info
  const shown: Json = { ...info }
  if (typeof info.contract_address === 'string') {
    shown.contract_address = show(info.contract_address, true)
  }
  if (typeof info.resMessage === 'string') shown.resMessage = text(info.resMessage)
  if (Array.isArray(info.log)) {
    // 20 bytes in the event; base58 needs the 0x41 in front.
    shown.log = info.log.map((log) => ({ ...log, address: toBase58(`41${log.address}`) }))
  }
  if (Array.isArray(info.internal_transactions)) {
    shown.internal_transactions = info.internal_transactions.map((internal) => ({
      ...internal,
      caller_address: show(internal.caller_address, true),
      transferTo_address: show(internal.transferTo_address, true),
      note: text(internal.note),
    }))
  }
  return shown
}

export function permissionJson(permission: Permission, visible: boolean): Json {
  const { type, id, permission_name, threshold, operations, keys } = permission
  return omitDefaults({
    type: type === 'Owner' ? undefined : type,
    id,
    permission_name,
    threshold,
    operations,
    keys: keys.map((key) => ({
      address: show(key.address, visible),
      weight: jsonInteger(key.weight),
    })),
  })
}

/** A message of a servlet: bytes in protobuf, so hex unless visible. */
export function message(value: string, visible: boolean): string {
  return visible ? value : Buffer.from(value).toString('hex')
}

function text(hex: string): string {
  return Buffer.from(hex, 'hex').toString('utf8')
}
