import { createHash } from 'node:crypto'
import { type ContractValues, type HexAddress, toBase58 } from '@ergon/tron'
import { newAccount } from './account.ts'
import { type BandwidthBill, burn, energyLeft, type Ground } from './bandwidth.ts'
import type { BuiltInContract, Call, CallResult, Contracts } from './contracts/builtIn.ts'
import { codeAt, deployedAddress } from './contracts/deployed.ts'
import { addUsage, energyModel, withPenalty } from './contracts/energyModel.ts'
import { fees } from './parameters.ts'
import { ensure } from './refusal.ts'
import { use } from './resources.ts'
import type { State } from './state.ts'

type Trigger = ContractValues['TriggerSmartContract']
type Creation = ContractValues['CreateSmartContract']

/** receipt, log and the rest of a TransactionInfo that only a contract call has. */
export type TriggerOutcome = {
  contractRet: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY'
  energyFee: bigint
  fields: {
    contractResult: string[]
    contract_address: HexAddress
    receipt: Record<string, unknown>
    log?: unknown[]
    result?: 'FAILED'
    resMessage?: string
    internal_transactions?: unknown[]
  }
}

/**
 * Runs a call and charges its energy. A call that reverts or runs out of energy is undone but paid
 * for: it is in the block as failed. What does not pass validation throws and is in no block.
 */
export function trigger(
  state: State,
  ground: Ground,
  { contracts, call, feeLimit, txid, net }: TriggerOrder,
): TriggerOutcome {
  const { owner_address: caller, contract_address: contract, call_value: callValue = 0n } = call
  const code = codeAt(contracts, ground.tables, contract)
  ensure(code !== undefined, 'No contract or not a smart contract')
  ensure(callValue >= 0n, 'callValue must be >= 0')
  checkFeeLimit(feeLimit)
  const account = ground.tables.accounts.get(caller)!
  ensure(
    account.balance >= callValue,
    'Validate InternalTransfer error, balance is not sufficient.',
  )
  const staked = energyLeft(ground, account)
  const energyMax = energyAllowed(staked, account.balance - callValue, feeLimit)

  const savepoint = state.savepoint()
  passValue(ground, caller, contract, callValue)
  const { tables, timestamp } = ground
  const order = { caller, contract, callValue, data: call.data, tables, timestamp }
  const result = runCode(code, order)
  const outOfEnergy = result.energy > energyMax
  if (outOfEnergy || result.reverted) state.rollback(savepoint)
  const used = outOfEnergy ? energyMax : result.energy
  const penalty = outOfEnergy ? (used * result.penalty) / result.energy : result.penalty
  addUsage(tables, contract, code, used - penalty)
  const shared = payShare(ground, caller, { used, sharing: code.sharing })
  const bill = payEnergy(ground, caller, { used: used - shared, staked })
  const contractRet = outOfEnergy ? 'OUT_OF_ENERGY' : result.reverted ? 'REVERT' : 'SUCCESS'
  const receipt = {
    ...nonZero('energy_usage', bill.usage),
    ...nonZero('energy_fee', bill.fee),
    ...nonZero('origin_energy_usage', shared),
    ...nonZero('energy_usage_total', used),
    ...net,
    result: contractRet,
    ...nonZero('energy_penalty_total', penalty),
  }
  const failure = outOfEnergy ? outOfEnergyText(used) : 'REVERT opcode executed'
  return {
    contractRet,
    energyFee: bill.fee,
    fields: {
      contractResult: [outOfEnergy ? '' : result.output],
      contract_address: contract,
      receipt,
      ...(contractRet === 'SUCCESS'
        ? effects(result, txid)
        : { result: 'FAILED', resMessage: Buffer.from(failure).toString('hex') }),
    },
  }
}

/** Runs the call and adds the penalty of the contract's factor. */
export function runCode(code: BuiltInContract, call: Call): CallResult {
  const model = energyModel(call.tables, call.contract, code)
  return withPenalty(code.run(call), model)
}

// java-tron charges each byte of code that it stores.
const byteEnergy = 200n

/** Puts a new contract on the chain. Its constructor is not run: what was sent is its code. */
export function deploy(
  ground: Ground,
  { call, feeLimit, txid, net }: Omit<TriggerOrder, 'contracts' | 'call'> & { call: Creation },
): TriggerOutcome {
  const { tables, timestamp } = ground
  const { owner_address: owner, new_contract: contract } = call
  ensure(contract !== undefined, 'Cannot get CreateSmartContract from transaction')
  const { name = '', bytecode = '', consume_user_resource_percent: percent = 0n } = contract
  ensure(contract.origin_address === owner, 'OwnerAddress is not equal OriginAddress')
  ensure(Buffer.byteLength(name) <= 32, "contractName's length cannot be greater than 32")
  ensure(percent >= 0n && percent <= 100n, 'percent must be >= 0 and <= 100')
  const address = deployedAddress(txid, owner)
  ensure(
    tables.accounts.get(address) === undefined,
    `Trying to create a contract with existing contract address: ${toBase58(address)}`,
  )
  checkFeeLimit(feeLimit)
  ensure((contract.origin_energy_limit ?? 0n) > 0n, 'The originEnergyLimit must be > 0')
  const account = tables.accounts.get(owner)!
  const callValue = contract.call_value ?? 0n
  ensure(callValue >= 0n, 'callValue must be >= 0')
  ensure(
    account.balance >= callValue,
    'Validate InternalTransfer error, balance is not sufficient.',
  )
  const staked = energyLeft(ground, account)
  const energyMax = energyAllowed(staked, account.balance - callValue, feeLimit)
  const cost = BigInt(bytecode.length / 2) * byteEnergy
  const outOfEnergy = cost > energyMax
  if (!outOfEnergy) {
    const { call_value: _spent, ...kept } = contract
    tables.deployed.set(address, { ...kept, contract_address: address })
    const named = name === '' ? {} : { name: Buffer.from(name).toString('hex') }
    tables.accounts.set(address, { ...newAccount(timestamp, 'Contract'), ...named })
    passValue(ground, owner, address, callValue)
  }
  const used = outOfEnergy ? energyMax : cost
  const bill = payEnergy(ground, owner, { used, staked })
  const contractRet = outOfEnergy ? 'OUT_OF_ENERGY' : 'SUCCESS'
  const failure = Buffer.from(outOfEnergyText(used)).toString('hex')
  return {
    contractRet,
    energyFee: bill.fee,
    fields: {
      contractResult: [outOfEnergy ? '' : bytecode],
      contract_address: address,
      receipt: {
        ...nonZero('energy_usage', bill.usage),
        ...nonZero('energy_fee', bill.fee),
        ...nonZero('energy_usage_total', used),
        ...net,
        result: contractRet,
      },
      ...(outOfEnergy ? { result: 'FAILED' as const, resMessage: failure } : {}),
    },
  }
}

function checkFeeLimit(feeLimit: bigint): void {
  ensure(
    feeLimit >= 0n && feeLimit <= fees.feeLimitSunMax,
    `feeLimit must be >= 0 and <= ${fees.feeLimitSunMax}`,
  )
}

/** What the stake and the balance can pay, but no more than the caller allows to be burned. */
function energyAllowed(staked: bigint, balance: bigint, feeLimit: bigint): bigint {
  return min(staked + balance / fees.energySun, feeLimit / fees.energySun)
}

export type TriggerOrder = {
  contracts: Contracts
  call: Trigger
  feeLimit: bigint
  txid: string
  /** What the bandwidth has cost; it stands in the middle of the receipt. */
  net: BandwidthBill
}

/** Hands the call's TRX to the contract, as the VM does before the first instruction. */
export function passValue(ground: Ground, from: HexAddress, to: HexAddress, sun: bigint): void {
  if (sun === 0n || from === to) return
  const { accounts } = ground.tables
  const [sender, receiver] = [accounts.get(from)!, accounts.get(to)!]
  accounts.set(from, { ...sender, balance: sender.balance - sun })
  accounts.set(to, { ...receiver, balance: receiver.balance + sun })
}

export function internalTransactions(internal: CallResult['internal'], txid: string): unknown[] {
  return internal.map(({ from, to, sun }, index) => ({
    hash: createHash('sha256').update(`${txid}:${index}`).digest('hex'),
    caller_address: from,
    transferTo_address: to,
    callValueInfo: [sun === 0n ? {} : { callValue: sun }],
    // "call"
    note: '63616c6c',
  }))
}

function effects({ logs, internal }: CallResult, txid: string) {
  return {
    ...(logs.length > 0 ? { log: logs } : {}),
    ...(internal.length > 0 ? { internal_transactions: internalTransactions(internal, txid) } : {}),
  }
}

/** What the contract's deployer pays, out of its stake and delegations; its own calls are its own. */
function payShare(
  ground: Ground,
  caller: HexAddress,
  { used, sharing }: { used: bigint; sharing: BuiltInContract['sharing'] },
): bigint {
  const origin = sharing && ground.tables.accounts.get(sharing.origin)
  if (!sharing || !origin || sharing.origin === caller) return 0n
  const share = min((used * sharing.percent) / 100n, energyLeft(ground, origin))
  const ENERGY = use(origin.usage.ENERGY, share, ground.slot)
  ground.tables.accounts.set(sharing.origin, { ...origin, usage: { ...origin.usage, ENERGY } })
  return share
}

/** Stake and delegations first; what they do not cover is burned from the balance. */
function payEnergy(
  { tables, slot, timestamp }: Ground,
  caller: HexAddress,
  { used, staked }: { used: bigint; staked: bigint },
): { usage: bigint; fee: bigint } {
  const account = tables.accounts.get(caller)!
  const usage = min(used, staked)
  const fee = (used - usage) * fees.energySun
  const ENERGY = use(account.usage.ENERGY, usage, slot)
  tables.accounts.set(caller, {
    ...account,
    latestOperationTime: timestamp,
    balance: account.balance - fee,
    usage: { ...account.usage, ENERGY },
  })
  burn(tables, fee)
  return { usage, fee }
}

// The figures of the operation are those of a real receipt (vectors/transaction-infos.json).
function outOfEnergyText(limit: bigint): string {
  return (
    `Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[${limit}], ` +
    `curOpEnergy[20000], penaltyEnergy[68000], usedEnergy[${min(limit, 33_567n)}]`
  )
}

export function nonZero(name: string, value: bigint): Record<string, bigint> {
  return value === 0n ? {} : { [name]: value }
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
