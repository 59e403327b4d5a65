import type { HexAddress, RawTransaction } from '@ergon/tron'
import { actuate } from './actuators/index.ts'
import type { SystemOutcome } from './actuators/outcome.ts'
import { type Ground, payBandwidth, payFee } from './bandwidth.ts'
import type { Contracts } from './contracts/builtIn.ts'
import { fees, limits } from './parameters.ts'
import { InvalidContract, Refusal } from './refusal.ts'
import type { State } from './state.ts'
import { deploy, nonZero, type TriggerOutcome, trigger } from './vm.ts'

/** A transaction as it arrives. The bytes are the truth: the id and the signatures cover them. */
export type Incoming = {
  txid: string
  rawBytes: Uint8Array
  raw: RawTransaction
  signatures: string[]
}

export type Executed = {
  transaction: Incoming
  contractRet: string
  /** The TransactionInfo but for the block's own fields. */
  info: { id: string; fee?: bigint; rest: Record<string, unknown> }
}

// java-tron reserves room for the result of every contract.
const resultBytes = 64

/**
 * Applies a checked transaction: bandwidth, multi-signature fee, memo fee, contract. On a Refusal
 * the state is as before.
 */
export function execute(
  state: State,
  transaction: Incoming,
  { contracts, ...at }: { contracts: Contracts; timestamp: number; slot: number },
): Executed {
  const ground: Ground = { tables: state.tables, ...at }
  const savepoint = state.savepoint()
  try {
    return apply(state, ground, { transaction, contracts })
  } catch (error) {
    state.rollback(savepoint)
    if (!(error instanceof InvalidContract)) throw error
    throw new Refusal('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${error.message}`)
  }
}

function apply(
  state: State,
  ground: Ground,
  { transaction, contracts }: { transaction: Incoming; contracts: Contracts },
): Executed {
  const { raw, rawBytes, signatures, txid } = transaction
  const { contract } = raw
  const owner: HexAddress = contract.value.owner_address
  const bytes = serializedBytes(rawBytes.length, signatures) + resultBytes
  const createsAccount = createsNewAccount(ground, raw)
  if (createsAccount && bytes > limits.accountCreationBytesMax) {
    throw new Refusal('TOO_BIG_TRANSACTION_ERROR', 'Transaction size is too big.')
  }
  const net = payBandwidth(ground, { owner, bytes: BigInt(bytes), createsAccount })
  const multiSign = signatures.length > 1 ? fees.multiSignSun : 0n
  if (multiSign > 0n) payFee(ground.tables, owner, multiSign)
  const memo = raw.data === '' ? 0n : fees.memoSun
  if (memo > 0n) payFee(ground.tables, owner, memo)
  const extras = (net.net_fee ?? 0n) + multiSign + memo
  if (contract.type === 'TriggerSmartContract') {
    const order = { contracts, call: contract.value, feeLimit: raw.feeLimit, txid, net }
    return called(transaction, extras, trigger(state, ground, order))
  }
  if (contract.type === 'CreateSmartContract') {
    const order = { call: contract.value, feeLimit: raw.feeLimit, txid, net }
    return called(transaction, extras, deploy(ground, order))
  }
  const outcome = actuate(ground, contract)
  const rest = { contractResult: [''], receipt: net, ...systemFields(outcome) }
  const info = { id: txid, ...nonZero('fee', extras + outcome.fee), rest }
  return { transaction, contractRet: 'SUCCESS', info }
}

function called(transaction: Incoming, extras: bigint, outcome: TriggerOutcome): Executed {
  const { contractRet, energyFee, fields } = outcome
  const fee = nonZero('fee', extras + energyFee)
  return { transaction, contractRet, info: { id: transaction.txid, ...fee, rest: fields } }
}

/** Length of the protobuf without ret; counted, because encoding it would cost more than this all. */
function serializedBytes(rawLength: number, signatures: string[]): number {
  let bytes = fieldBytes(rawLength)
  for (const { length } of signatures) bytes += fieldBytes(length / 2)
  return bytes
}

/** A tag below 16, the length as a varint, and the content. */
function fieldBytes(length: number): number {
  let varint = 1
  for (let rest = length >> 7; rest > 0; rest >>= 7) varint++
  return 1 + varint + length
}

function createsNewAccount({ tables }: Ground, { contract }: RawTransaction): boolean {
  if (contract.type === 'AccountCreateContract') return true
  if (contract.type !== 'TransferContract') return false
  return tables.accounts.get(contract.value.to_address) === undefined
}

function systemFields(outcome: SystemOutcome): Record<string, unknown> {
  const cancelled = outcome.cancel_unfreezeV2_amount
  return {
    ...nonZero('withdraw_amount', outcome.withdraw_amount ?? 0n),
    ...nonZero('withdraw_expire_amount', outcome.withdraw_expire_amount ?? 0n),
    ...(cancelled
      ? {
          // A map of protobuf: zeros are written, in the order of java's hashes.
          cancel_unfreezeV2_amount: (['ENERGY', 'TRON_POWER', 'BANDWIDTH'] as const).map((key) => ({
            key,
            value: cancelled[key],
          })),
        }
      : {}),
  }
}
