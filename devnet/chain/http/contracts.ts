import { type ContractOf, jsonInteger } from '@ergon/tron'
import type { CallResult } from '../contracts/builtIn.ts'
import { selectorOf } from '../contracts/selector.ts'
import { fees } from '../parameters.ts'
import { ensure, InvalidContract } from '../refusal.ts'
import { scratch } from '../state.ts'
import { internalTransactions, passValue } from '../vm.ts'
import { buildRaw, readContract, unsignedJson } from './builders.ts'
import { message, show } from './render.ts'
import { type Context, type Endpoint, java, NodeError } from './request.ts'

type Trigger = ContractOf<'TriggerSmartContract'>
type Json = Record<string, unknown>

const triggerSmartContract: Endpoint = {
  path: 'triggersmartcontract',
  methods: 'POST',
  solidity: false,
  run: inResult((context) => {
    const { chain, params } = context
    const contract = readTrigger(context)
    const code = chain.network.contracts.get(contract.value.contract_address)
    ensure(code !== undefined, 'No contract or not a valid smart contract')
    const method = code.methods[contract.value.data.slice(0, 8)]?.split('(')[0]
    const entry = code.abi.find(({ type, name }) => type === 'Function' && name === method)
    if (entry?.stateMutability === 'View') return constantAnswer(context, contract)
    const feeLimit = params.integer('fee_limit')
    ensure(
      feeLimit >= 0n && feeLimit <= fees.feeLimitSunMax,
      `feeLimit must be >= 0 and <= ${fees.feeLimitSunMax}`,
    )
    const raw = buildRaw(chain, contract, { feeLimit })
    return { result: { result: true }, transaction: unsignedJson(raw, params.visible) }
  }),
}

const triggerConstantContract: Endpoint = {
  path: 'triggerconstantcontract',
  methods: 'POST',
  solidity: true,
  run: inResult((context) => constantAnswer(context, readTrigger(context))),
}

const estimateEnergy: Endpoint = {
  path: 'estimateenergy',
  methods: 'POST',
  solidity: true,
  run: inResult((context) => {
    const result = callConstant(context, readTrigger(context))
    if (result.reverted) {
      return { result: { code: 'CONTRACT_EXE_ERROR', message: reverted(context) } }
    }
    return { result: { result: true }, energy_required: jsonInteger(result.energy) }
  }),
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
    return { smart_contract, runtimecode: runtimeCode, contract_state: { update_cycle: 1 } }
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

function contractJson({ chain, params }: Context): Json | undefined {
  const address = params.address('value')
  const contract = chain.network.contracts.get(address)
  if (!contract) return undefined
  return {
    bytecode: runtimeCode,
    name: contract.name,
    origin_address: show(contract.sharing?.origin ?? chain.network.contractOwner, params.visible),
    abi: { entrys: contract.abi },
    contract_address: show(address, params.visible),
    consume_user_resource_percent: 100 - Number(contract.sharing?.percent ?? 0n),
    origin_energy_limit: 10_000_000,
    code_hash: '00'.repeat(32),
  }
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
    ...(result.logs.length > 0 ? { logs: result.logs } : {}),
    ...(internal.length > 0 ? { internal_transactions: internal } : {}),
    transaction: {
      ret: [result.reverted ? { ret: 'FAILED' } : {}],
      ...unsignedJson(raw, params.visible),
    },
  }
}

/** Runs the call on a copy of the state that is thrown away. */
function callConstant({ chain, sight }: Context, { value }: Trigger): CallResult {
  const { owner_address: caller, contract_address: contract, call_value: callValue = 0n } = value
  const code = chain.network.contracts.get(contract)
  ensure(code !== undefined, 'Smart contract is not exist.')
  const tables = scratch(sight.view.tables)
  const { timestamp, slot } = sight.view
  ensure(callValue >= 0n, 'callValue must be >= 0')
  if (callValue > 0n) {
    ensure(
      (tables.accounts.get(caller)?.balance ?? 0n) >= callValue,
      'Validate InternalTransfer error, balance is not sufficient.',
    )
    passValue({ tables, timestamp, slot }, caller, contract, callValue)
  }
  return code.run({ caller, contract, callValue, data: value.data, tables, timestamp })
}

function readTrigger(context: Context): Trigger {
  const { params, chain } = context
  for (const name of ['owner_address', 'contract_address']) {
    if (!params.text(name)) throw new NodeError(java.parameter, `${name} isn't set.`)
  }
  const selector = params.text('function_selector') ?? ''
  if (selector === '' && !params.text('data')) {
    throw new NodeError(java.parameter, "function_selector or data isn't set.")
  }
  const contract = readContract('TriggerSmartContract', params) as Trigger
  const code = chain.network.contracts.get(contract.value.contract_address)
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
