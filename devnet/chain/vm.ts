import { createHash } from 'node:crypto'
import type { ContractValues, HexAddress } from '@ergon/tron'
import { type BandwidthBill, burn, energyLeft, type Ground } from './bandwidth.ts'
import type { BuiltInContract, CallResult } from './contracts/builtIn.ts'
import { fees } from './parameters.ts'
import { ensure } from './refusal.ts'
import { use } from './resources.ts'
import type { State } from './state.ts'

export type Contracts = ReadonlyMap<HexAddress, BuiltInContract>

type Trigger = ContractValues['TriggerSmartContract']

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
  const code = contracts.get(contract)
  ensure(code !== undefined, 'No contract or not a smart contract')
  ensure(callValue >= 0n, 'callValue must be >= 0')
  ensure(
    feeLimit >= 0n && feeLimit <= fees.feeLimitSunMax,
    `feeLimit must be >= 0 and <= ${fees.feeLimitSunMax}`,
  )
  const account = ground.tables.accounts.get(caller)!
  ensure(
    account.balance >= callValue,
    'Validate InternalTransfer error, balance is not sufficient.',
  )
  const staked = energyLeft(ground, account)
  const energyMax = min(
    staked + (account.balance - callValue) / fees.energySun,
    feeLimit / fees.energySun,
  )

  const savepoint = state.savepoint()
  passValue(ground, caller, contract, callValue)
  const { tables, timestamp } = ground
  const result = code.run({ caller, contract, callValue, data: call.data, tables, timestamp })
  const outOfEnergy = result.energy > energyMax
  if (outOfEnergy || result.reverted) state.rollback(savepoint)
  const used = outOfEnergy ? energyMax : result.energy
  const shared = payShare(ground, caller, { used, sharing: code.sharing })
  const bill = payEnergy(ground, caller, { used: used - shared, staked })
  const penalty = outOfEnergy ? (used * result.penalty) / result.energy : result.penalty
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
