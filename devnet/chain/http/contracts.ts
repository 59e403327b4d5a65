import { type ContractOf, type HexAddress, jsonInteger } from '@ergon/tron'
import type { BuiltInContract, CallResult } from '../contracts/builtIn.ts'
import { codeAt } from '../contracts/deployed.ts'
import { energyModel } from '../contracts/energyModel.ts'
import { keccak256, selectorOf } from '../contracts/selector.ts'
import { fees } from '../parameters.ts'
import { ensure, InvalidContract } from '../refusal.ts'
import { trx } from '../resources.ts'
import { cycleOf } from '../rewards.ts'
import { type DeployedContract, scratch } from '../state.ts'
import { internalTransactions, passValue, runCode } from '../vm.ts'
import { buildRaw, memoOf, readContract, unsignedJson } from './builders.ts'
import { hashOrder } from './hashOrder.ts'
import { message, omitDefaults, show } from './render.ts'
import { type Context, type Endpoint, java, NodeError } from './request.ts'

type Trigger = ContractOf<'TriggerSmartContract'>
type Json = Record<string, unknown>

const triggerSmartContract: Endpoint = {
  path: 'triggersmartcontract',
  methods: 'POST',
  emptyGet: true,
  solidity: false,
  run: inResult((context) => {
    const { chain, params } = context
    const contract = readTrigger(context)
    const code = codeOf(context, contract.value.contract_address)
    ensure(code !== undefined, 'No contract or not a valid smart contract')
    const method = code.methods[contract.value.data.slice(0, 8)]?.split('(')[0]
    const entry = code.abi.find(({ type, name }) => type === 'Function' && name === method)
    if (entry?.stateMutability === 'View') return constantAnswer(context, contract)
    const feeLimit = params.longValue('fee_limit')
    const raw = buildRaw(chain, contract, { feeLimit, data: memoOf(params) })
    return { result: { result: true }, transaction: unsignedJson(raw, params.visible) }
  }),
}

const triggerConstantContract: Endpoint = {
  path: 'triggerconstantcontract',
  methods: 'POST',
  emptyGet: true,
  solidity: true,
  run: inResult((context) => constantAnswer(context, readTrigger(context))),
}

const estimateEnergy: Endpoint = {
  path: 'estimateenergy',
  methods: 'POST',
  emptyGet: true,
  solidity: true,
  run: inResult((context) => {
    const result = callConstant(context, readTrigger(context))
    if (result.reverted) {
      return { result: { code: 'CONTRACT_EXE_ERROR', message: reverted(context) } }
    }
    return { result: { result: true }, energy_required: jsonInteger(estimateOf(result.energy)) }
  }),
}

/**
 * A node halves the distance between what the call used and twice as much, in SUN, until it is
 * 1 TRX or less (Wallet.estimateEnergy). Every try in between works, so it answers more than is used.
 */
function estimateOf(used: bigint): bigint {
  const low = used * fees.energySun
  let high = min(2n * low, fees.feeLimitSunMax)
  while (low + trx < high) high = (low + high) / 2n
  return (high + fees.energySun - 1n) / fees.energySun
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

const getContract: Endpoint = {
  path: 'getcontract',
  methods: 'GET POST',
  solidity: false,
  run: (context) => contractJson(context) ?? {},
}

const getContractInfo: Endpoint = {
  path: 'getcontractinfo',
  methods: 'GET POST',
  solidity: false,
  run(context) {
    const smart_contract = contractJson(context)
    if (!smart_contract) return {}
    const { tables } = context.sight.view
    const address = context.params.address('value')
    const model = energyModel(tables, address, codeOf(context, address)!)
    const contract_state = omitDefaults({
      update_cycle: cycleOf(tables),
      energy_usage: model?.usage,
      energy_factor: model?.factor,
    })
    return { runtimecode: smart_contract.bytecode, smart_contract, contract_state }
  },
}

export const contractEndpoints = [
  triggerSmartContract,
  triggerConstantContract,
  estimateEnergy,
  getContract,
  getContractInfo,
]

// Nothing executes these bytes; they only say that there is code.
const runtimeCode = '60806040'

function contractJson({ chain, sight, params }: Context): Json | undefined {
  const address = params.address('value')
  const deployed = sight.view.tables.deployed.get(address)
  if (deployed) return deployedJson(deployed, params.visible)
  const contract = chain.network.contracts.get(address)
  if (!contract) return undefined
  return {
    bytecode: runtimeCode,
    consume_user_resource_percent: 100 - Number(contract.sharing?.percent ?? 0n),
    name: contract.name,
    origin_address: show(contract.sharing?.origin ?? chain.network.contractOwner, params.visible),
    abi: { entrys: contract.abi },
    origin_energy_limit: 10_000_000,
    contract_address: show(address, params.visible),
    code_hash: codeHash(runtimeCode),
  }
}

function deployedJson(contract: DeployedContract, visible: boolean): Json {
  const { abi, bytecode = '', name, origin_address, contract_address } = contract
  const entrys = abi?.entrys.map((entry) => omitDefaults(entry)) ?? []
  return omitDefaults({
    bytecode,
    consume_user_resource_percent: contract.consume_user_resource_percent,
    name,
    origin_address: show(origin_address, visible),
    abi: entrys.length > 0 ? { entrys } : {},
    origin_energy_limit: contract.origin_energy_limit,
    contract_address: show(contract_address, visible),
    code_hash: codeHash(bytecode),
  })
}

function codeHash(code: string): string {
  return keccak256(Buffer.from(code, 'hex')).toString('hex')
}

function codeOf({ chain, sight }: Context, address: HexAddress): BuiltInContract | undefined {
  return codeAt(chain.network.contracts, sight.view.tables, address)
}

function constantAnswer(context: Context, contract: Trigger): Json {
  const { chain, params } = context
  const result = callConstant(context, contract)
  const raw = buildRaw(chain, contract)
  const internal = internalTransactions(result.internal, '')
  return {
    result: { result: true, ...(result.reverted ? { message: reverted(context) } : {}) },
    energy_used: jsonInteger(result.energy),
    ...(result.penalty > 0n ? { energy_penalty: jsonInteger(result.penalty) } : {}),
    constant_result: [result.output],
    ...(result.logs.length > 0 ? { logs: hashOrder(result.logs) } : {}),
    ...(internal.length > 0 ? { internal_transactions: internal } : {}),
    transaction: {
      ret: [result.reverted ? { ret: 'FAILED' } : {}],
      ...unsignedJson(raw, params.visible),
    },
  }
}

/** Runs the call on a copy of the state that is thrown away. */
function callConstant(context: Context, { value }: Trigger): CallResult {
  const { sight, fault } = context
  if (fault.constant_timeout) {
    throw new NodeError(java.time, "CPU timeout for 'PUSH1' operation executing")
  }
  const { owner_address: caller, contract_address: contract, call_value: callValue = 0n } = value
  const code = codeOf(context, contract)
  ensure(code !== undefined, 'Smart contract is not exist.')
  const tables = scratch(sight.view.tables)
  const { timestamp, slot } = sight.view
  ensure(callValue >= 0n, 'callValue must be >= 0')
  if (callValue > 0n) {
    const account = tables.accounts.get(caller)
    ensure(account !== undefined, 'Validate InternalTransfer error, no OwnerAccount.')
    ensure(
      account.balance >= callValue,
      'Validate InternalTransfer error, balance is not sufficient.',
    )
    passValue({ tables, timestamp, slot }, caller, contract, callValue)
  }
  return runCode(code, { caller, contract, callValue, data: value.data, tables, timestamp })
}

function readTrigger(context: Context): Trigger {
  const { params } = context
  for (const name of ['owner_address', 'contract_address']) {
    if (!params.text(name)) throw new NodeError(java.parameter, `${name} isn't set.`)
  }
  const selector = params.text('function_selector') ?? ''
  const contract = readContract('TriggerSmartContract', params) as Trigger
  const code = codeOf(context, contract.value.contract_address)
  const data =
    selector === ''
      ? params.hex('data')
      : callData(code?.methods ?? {}, selector, params.hex('parameter'))
  return { ...contract, value: { ...contract.value, data } }
}

function callData(methods: Record<string, string>, signature: string, parameter: string): string {
  const known = Object.entries(methods).find(([, name]) => name === signature)
  return (known?.[0] ?? selectorOf(signature)) + parameter
}

/** Errors of the trigger endpoints stand inside `result`, with the text as hex. */
function inResult(run: (context: Context) => unknown): (context: Context) => unknown {
  return (context) => {
    const failed = (code: string, text: string) => ({
      result: { code, message: message(text, context.params.visible) },
    })
    try {
      return run(context)
    } catch (error) {
      if (error instanceof InvalidContract) return failed('CONTRACT_VALIDATE_ERROR', error.message)
      if (error instanceof NodeError) return failed('OTHER_ERROR', error.text.replaceAll('"', "'"))
      throw error
    }
  }
}

function reverted({ params }: Context): string {
  return message('REVERT opcode executed', params.visible)
}
