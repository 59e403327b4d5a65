import {
  contractIds,
  DecodeError,
  decodeTransaction,
  encodeRaw,
  fromJson,
  stringifyJson,
  txId,
} from '@ergon/tron'
import { allows } from '../actuators/permissions.ts'
import type { Chain } from '../chain.ts'
import type { Incoming } from '../execute.ts'
import type { FaultSettings } from '../faults.ts'
import { Refusal, type RefusalCode } from '../refusal.ts'
import { permissionById, weigh } from '../signatures.ts'
import { hashOrder } from './hashOrder.ts'
import { message, permissionJson, plainJson, pooledJson, show, transactionJson } from './render.ts'
import { type Context, type Endpoint, java, NodeError } from './request.ts'

/** raw_data_hex and txID are ignored: java-tron builds the bytes from raw_data again. */
const broadcastTransaction: Endpoint = {
  path: 'broadcasttransaction',
  methods: 'POST',
  solidity: false,
  run({ chain, params, fault }) {
    const transaction = readTransaction(params.values)
    // A contract that cannot be read is left out by the node, and then there is none.
    if (!transaction) {
      const text = 'Contract validate error : No contract!'
      const txid = txId(new Uint8Array())
      return refused('CONTRACT_VALIDATE_ERROR', text, { txid, visible: params.visible })
    }
    const { txid } = transaction
    const refusal = tryBroadcast(chain, transaction, fault)
    if (!refusal) return { result: true, txid }
    return refused(refusal.code, refusal.message, { txid, visible: params.visible })
  },
}

/** Always prints code and a plain message, unlike its sibling. */
const broadcastHex: Endpoint = {
  path: 'broadcasthex',
  methods: 'POST',
  solidity: false,
  run({ chain, params, fault }) {
    const hex = params.text('transaction') ?? ''
    if (hex === '') return nothingSent()
    const transaction = readHex(bytesOf(hex))
    const refusal = tryBroadcast(chain, transaction, fault)
    return {
      result: !refusal,
      code: refusal?.code ?? 'SUCCESS',
      txid: transaction.txid,
      message: refusal?.message ?? '',
      transaction: stringifyJson(plainJson(transaction)),
    }
  },
}

const getTransactionListFromPending: Endpoint = {
  path: 'gettransactionlistfrompending',
  methods: 'GET POST',
  solidity: false,
  bodyless: true,
  run: ({ chain }) => (chain.pool.size > 0 ? { txId: [...chain.pool.keys()] } : {}),
}

const getTransactionFromPending: Endpoint = {
  path: 'gettransactionfrompending',
  methods: 'GET POST',
  solidity: false,
  run({ chain, params }) {
    const pooled = chain.pool.get(params.hex('value'))
    return pooled ? pooledJson(pooled, params.visible) : {}
  },
}

const getPendingSize: Endpoint = {
  path: 'getpendingsize',
  methods: 'GET POST',
  solidity: false,
  bodyless: true,
  run: ({ chain }) => ({ pendingSize: chain.pool.size }),
}

const getSignWeight: Endpoint = {
  path: 'getsignweight',
  methods: 'POST',
  solidity: false,
  run(context) {
    const transaction = readTransaction(context.params.values)
    if (!transaction) {
      return { result: { code: 'OTHER_ERROR', message: 'Invalid transaction: no valid contract' } }
    }
    const answer = signWeight(context, transaction)
    return hashOrder({ ...answer, transaction: extension(transaction, context) })
  },
}

function signWeight({ sight, params }: Context, transaction: Incoming): Record<string, unknown> {
  const { type, value, permissionId = 0 } = transaction.raw.contract
  const permissionError = (text: string) => ({
    result: { code: 'PERMISSION_ERROR', message: text },
  })
  if (!sight.view.tables.accounts.get(value.owner_address)) {
    return permissionError('Account does not exist!')
  }
  const permission = permissionById(sight.view.tables, value.owner_address, permissionId)
  if (!permission) return permissionError('Permission for this, does not exist!')
  if (permissionId !== 0) {
    if (permission.type !== 'Active') return permissionError('Permission type is wrong!')
    if (!allows(permission.operations ?? '', contractIds[type])) {
      return permissionError('Permission denied!')
    }
  }
  const shown = permissionJson(permission, params.visible)
  try {
    const { weight, approved } = weigh(permission, transaction)
    const isEnough = weight >= permission.threshold
    return {
      permission: shown,
      ...(approved.length > 0
        ? { approved_list: approved.map((address) => show(address, params.visible)) }
        : {}),
      ...(weight > 0n ? { current_weight: Number(weight) } : {}),
      result: isEnough ? {} : { code: 'NOT_ENOUGH_PERMISSION' },
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const text = error.message.replace('Validate signature error: ', '')
    const code = text.startsWith('Signature size') ? 'SIGNATURE_FORMAT_ERROR' : 'PERMISSION_ERROR'
    return { permission: shown, result: { code, message: text } }
  }
}

const getApprovedList: Endpoint = {
  path: 'getapprovedlist',
  methods: 'POST',
  solidity: false,
  run(context) {
    const transaction = readTransaction(context.params.values)
    if (!transaction) {
      return { result: { code: 'OTHER_ERROR', message: 'Invalid transaction: no valid contract' } }
    }
    const { approved_list } = signWeight(context, transaction)
    return hashOrder({
      ...(approved_list ? { approved_list } : {}),
      result: {},
      transaction: extension(transaction, context),
    })
  },
}

export const broadcastEndpoints = [
  broadcastTransaction,
  broadcastHex,
  getTransactionListFromPending,
  getTransactionFromPending,
  getPendingSize,
  getSignWeight,
  getApprovedList,
]

/** Runs a broadcast; the refusal is the answer. */
function tryBroadcast(
  chain: Chain,
  transaction: Incoming,
  { syncing_blocks, busy }: FaultSettings,
): Refusal | undefined {
  if (syncing_blocks) {
    const text = 'Effective connection:0 lt minEffectiveConnection:1'
    return new Refusal('NOT_ENOUGH_EFFECTIVE_CONNECTION', text)
  }
  if (busy) return new Refusal('SERVER_BUSY', 'Server busy.')
  try {
    chain.broadcast(transaction)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function refused(
  code: RefusalCode,
  text: string,
  { txid, visible }: { txid: string; visible: boolean },
): unknown {
  return { code, txid, message: message(text, visible) }
}

function extension(transaction: Incoming, { params }: Context): unknown {
  return {
    transaction: transactionJson(transaction, params.visible),
    txid: transaction.txid,
    result: { result: true },
  }
}

/** Undefined when there is no contract that can be read. */
function readTransaction(json: Record<string, unknown>): Incoming | undefined {
  if (json.raw_data === undefined || json.raw_data === null) {
    throw new NodeError(
      java.null,
      'Cannot invoke "com.alibaba.fastjson.JSONObject.getJSONArray(String)" because "<local3>" is null',
    )
  }
  const signatures = readSignatures(json.signature)
  try {
    const raw = fromJson(json.raw_data)
    const rawBytes = encodeRaw(raw)
    return { txid: txId(rawBytes), raw, rawBytes, signatures }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function readSignatures(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const isHex = (item: unknown) => typeof item === 'string' && /^([0-9a-fA-F]{2})*$/.test(item)
  if (!Array.isArray(value) || !value.every(isHex)) {
    throw new NodeError(java.format, '1:1: INVALID hex String')
  }
  return (value as string[]).map((signature) => signature.toLowerCase())
}

/** No bytes are a transaction whose fields are all empty. */
function nothingSent(): unknown {
  return {
    result: false,
    code: 'CONTRACT_VALIDATE_ERROR',
    txid: txId(new Uint8Array()),
    message: 'Contract validate error : No contract!',
    transaction: '{}',
  }
}

function bytesOf(hex: string): Uint8Array {
  const digits = hex.replace(/^0x/i, '')
  if (/^[0-9a-f]*$/i.test(digits)) {
    return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  }
  throw new NodeError(
    java.hex,
    'exception decoding Hex string: invalid characters encountered in Hex string',
  )
}

function readHex(bytes: Uint8Array): Incoming {
  try {
    const { rawBytes, raw, signatures } = decodeTransaction(bytes)
    return { txid: txId(rawBytes), rawBytes, raw, signatures }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new NodeError(
      java.protobuf,
      'While parsing a protocol message, the input ended unexpectedly in the middle of a field.' +
        '  This could mean either that the input has been truncated or that an embedded message ' +
        'misreported its own length.',
    )
  }
}
