import { type Contract, type ContractType, isContractType } from './contracts.ts'
import { hash, int64, list, object, safeInteger, text } from './jsonFields.ts'
import { contractFromJson } from './transactionJson.ts'
import { DecodeError } from './wire.ts'

/** A contract type without a table in this package; its value is kept undecoded. */
export type UnknownContract = { type: 'unknown'; name: string; value: unknown }

export type DecodedTransaction = {
  txId: string
  contract: Contract | UnknownContract
  /** SUCCESS, or why the VM failed; DEFAULT when the node printed none. */
  contractRet: string
  expiration: number
  /** The most SUN that the caller allows the VM to burn; 0n when none was set. */
  feeLimit: bigint
}

export type DecodedBlock = {
  number: number
  id: string
  parentId: string
  timestamp: number
  transactions: DecodedTransaction[]
}

const NONE: readonly unknown[] = []

/** Reads java-tron's block JSON; throws DecodeError. An empty block has no `transactions` key. */
export function decodeBlock(json: unknown): DecodedBlock {
  const block = object(json, 'block')
  const header = object(object(block.block_header, 'block_header').raw_data, 'raw_data')
  return {
    // The genesis block has no number: zeros are not printed.
    number: safeInteger(header.number ?? 0, 'number'),
    id: hash(block.blockID, 'blockID'),
    parentId: hash(header.parentHash, 'parentHash'),
    timestamp: safeInteger(header.timestamp ?? 0, 'timestamp'),
    transactions: list(block.transactions ?? NONE, 'transactions').map(decodeJsonTransaction),
  }
}

/**
 * One transaction of a block, or an answer of gettransactionbyid. Its own `timestamp` is not read:
 * the chain does not check it, and wallets write nanoseconds into it.
 */
export function decodeJsonTransaction(json: unknown): DecodedTransaction {
  const transaction = object(json, 'transaction')
  const raw = object(transaction.raw_data, 'raw_data')
  const ret = object(list(transaction.ret ?? NONE, 'ret')[0] ?? {}, 'ret')
  return {
    txId: hash(transaction.txID, 'txID'),
    contract: decodeContract(list(raw.contract, 'contract')[0]),
    contractRet: text(ret.contractRet ?? 'DEFAULT', 'contractRet'),
    expiration: safeInteger(raw.expiration ?? 0, 'expiration'),
    feeLimit: int64(raw.fee_limit ?? 0, 'fee_limit'),
  }
}

// Money and usage are read from these two, so an unreadable one must stop the reader. Other types
// may contain an enum value of a later release, which must not stop a scanner.
const mustBeRead = new Set<ContractType>(['TransferContract', 'TriggerSmartContract'])

function decodeContract(json: unknown): Contract | UnknownContract {
  const contract = object(json, 'contract')
  // Type 0, in case a node leaves zeros out here too.
  const name = text(contract.type ?? 'AccountCreateContract', 'contract type')
  const known = isContractType(name)
  try {
    if (known) return contractFromJson(contract)
  } catch (error) {
    if (!(error instanceof DecodeError) || mustBeRead.has(name as ContractType)) throw error
  }
  const parameter = object(contract.parameter ?? {}, 'parameter')
  return { type: 'unknown', name, value: parameter.value }
}
