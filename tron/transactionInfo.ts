import type { HexAddress } from './address.ts'
import type { ResourceCode } from './contracts.ts'
import {
  address,
  hash,
  hex,
  int64,
  list,
  nodeText,
  object,
  safeInteger,
  text,
} from './jsonFields.ts'
import { DecodeError } from './wire.ts'

export type Receipt = {
  /** Energy from the caller's own and delegated pool. */
  energyUsage: bigint
  /** Energy from the contract's deployer. */
  originEnergyUsage: bigint
  /** SUN burned by the caller for the Energy that the pool lacked. */
  energyFee: bigint
  energyUsageTotal: bigint
  energyPenaltyTotal: bigint
  netUsage: bigint
  netFee: bigint
  /** Only VM transactions have a result. */
  result: string | undefined
}

export type Log = { address: HexAddress; topics: string[]; data: string }

export type InternalTransaction = {
  from: HexAddress
  to: HexAddress
  /** SUN; 0n when it moves none or moves a TRC-10 token. */
  amount: bigint
  rejected: boolean
  /** "call", "create", "suicide", … */
  note: string
}

export type TransactionInfo = {
  id: string
  fee: bigint
  blockNumber: number
  blockTimestamp: number
  contractAddress: HexAddress | undefined
  receipt: Receipt
  logs: Log[]
  failed: boolean
  message: string
  internalTransactions: InternalTransaction[]
  /** Rewards of votes that the transaction paid out. */
  withdrawn: bigint
  /** Unfrozen TRX, past its wait, that the transaction made spendable. */
  unfrozen: bigint
  /** Unfreezing stake that became stake again. */
  cancelled: Record<ResourceCode, bigint>
}

export function decodeTransactionInfo(json: unknown): TransactionInfo {
  const info = object(json, 'transaction info')
  const contractAddress = info.contract_address
  return {
    id: hash(info.id, 'id'),
    fee: int64(info.fee ?? 0, 'fee'),
    blockNumber: safeInteger(info.blockNumber ?? 0, 'blockNumber'),
    blockTimestamp: safeInteger(info.blockTimeStamp ?? 0, 'blockTimeStamp'),
    contractAddress:
      contractAddress === undefined ? undefined : address(contractAddress, 'contract_address'),
    receipt: decodeReceipt(info.receipt ?? {}),
    logs: list(info.log ?? [], 'log').map(decodeLog),
    failed: info.result === 'FAILED',
    message: nodeText(info.resMessage),
    internalTransactions: list(info.internal_transactions ?? [], 'internal_transactions').map(
      decodeInternal,
    ),
    withdrawn: int64(info.withdraw_amount ?? 0, 'withdraw_amount'),
    unfrozen: int64(info.withdraw_expire_amount ?? 0, 'withdraw_expire_amount'),
    cancelled: decodeCancelled(info.cancel_unfreezeV2_amount ?? []),
  }
}

function decodeCancelled(json: unknown): Record<ResourceCode, bigint> {
  const cancelled = { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n }
  for (const one of list(json, 'cancel_unfreezeV2_amount')) {
    const { key, value } = object(one, 'cancelled')
    if (key !== 'BANDWIDTH' && key !== 'ENERGY' && key !== 'TRON_POWER') {
      throw new DecodeError('a resource that is not known was cancelled')
    }
    cancelled[key] = int64(value ?? 0, 'cancelled value')
  }
  return cancelled
}

export type InternalTransfer = { index: number; from: HexAddress; to: HexAddress; amount: bigint }

/**
 * TRX moved by a contract call. `index` is the place in internal_transactions, which identifies the
 * transfer for good. A node records these only with vm.saveInternalTx, so "none" proves nothing.
 */
export function transfersOf(info: TransactionInfo): InternalTransfer[] {
  if (info.failed || info.receipt.result !== 'SUCCESS') return []
  return info.internalTransactions.flatMap(({ from, to, amount, rejected }, index) =>
    rejected || amount <= 0n ? [] : [{ index, from, to, amount }],
  )
}

function decodeReceipt(json: unknown): Receipt {
  const receipt = object(json, 'receipt')
  const amount = (name: string) => int64(receipt[name] ?? 0, name)
  return {
    energyUsage: amount('energy_usage'),
    originEnergyUsage: amount('origin_energy_usage'),
    energyFee: amount('energy_fee'),
    energyUsageTotal: amount('energy_usage_total'),
    energyPenaltyTotal: amount('energy_penalty_total'),
    netUsage: amount('net_usage'),
    netFee: amount('net_fee'),
    result: receipt.result === undefined ? undefined : text(receipt.result, 'receipt.result'),
  }
}

function decodeLog(json: unknown): Log {
  const log = object(json, 'log')
  return {
    address: logAddress(log.address),
    topics: list(log.topics ?? [], 'topics').map((topic) => hex(topic, 'topic')),
    data: hex(log.data ?? '', 'log data'),
  }
}

// Addresses of logs are the only ones printed as 20 bytes, without the 41.
function logAddress(value: unknown): HexAddress {
  if (typeof value === 'string' && value.length === 40) return `41${hex(value, 'log address')}`
  return address(value, 'log address')
}

function decodeInternal(json: unknown): InternalTransaction {
  const internal = object(json, 'internal transaction')
  const [first = {}] = list(internal.callValueInfo ?? [], 'callValueInfo')
  const callValue = object(first, 'callValueInfo')
  const isTrx = callValue.tokenId === undefined || callValue.tokenId === ''
  if (internal.rejected !== undefined && typeof internal.rejected !== 'boolean') {
    throw new DecodeError('rejected is not a boolean')
  }
  return {
    from: address(internal.caller_address ?? '', 'caller_address'),
    to: address(internal.transferTo_address ?? '', 'transferTo_address'),
    amount: isTrx ? int64(callValue.callValue ?? 0, 'callValue') : 0n,
    rejected: internal.rejected === true,
    note: nodeText(internal.note),
  }
}
