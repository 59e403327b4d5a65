import { type AbiEntry, type ContractOf, encodeRaw, type NewContract, txId } from '@ergon/tron'
import { deployedAddress } from '../contracts/deployed.ts'
import { buildRaw, unsignedJson } from './builders.ts'
import { show } from './render.ts'
import { type Endpoint, java, NodeError, type Params } from './request.ts'

/** The node builds what it is given: only its execution looks at it. */
const deployContract: Endpoint = {
  path: 'deploycontract',
  methods: 'POST',
  emptyGet: true,
  solidity: false,
  run({ chain, params }) {
    const contract: ContractOf<'CreateSmartContract'> = {
      type: 'CreateSmartContract',
      value: { owner_address: params.address('owner_address'), new_contract: readNew(params) },
    }
    const permissionId = Number(params.longValue('Permission_id'))
    if (permissionId !== 0) contract.permissionId = permissionId
    const raw = buildRaw(chain, contract, { feeLimit: params.longValue('fee_limit') })
    const address = deployedAddress(txId(encodeRaw(raw)), contract.value.owner_address)
    const { visible, txID, ...rest } = unsignedJson(raw, params.visible)
    return { visible, txID, contract_address: show(address, params.visible), ...rest }
  },
}

function readNew(params: Params): NewContract {
  const bytecode = params.hex('bytecode') + params.hex('parameter')
  const name = params.text('name') ?? ''
  const amounts = {
    call_value: params.longValue('call_value'),
    consume_user_resource_percent: params.longValue('consume_user_resource_percent'),
    origin_energy_limit: params.longValue('origin_energy_limit'),
  }
  const given = Object.entries(amounts).filter(([, amount]) => amount !== 0n)
  return {
    origin_address: params.address('owner_address'),
    abi: { entrys: readAbi(params.values.abi) },
    ...(bytecode === '' ? {} : { bytecode }),
    ...(name === '' ? {} : { name }),
    ...Object.fromEntries(given),
  }
}

/** Solidity writes types in small letters, java-tron keeps them capitalised. */
function readAbi(abi: unknown): AbiEntry[] {
  const list: unknown = typeof abi === 'string' && abi !== '' ? parsed(abi) : (abi ?? [])
  if (!Array.isArray(list)) throw new NodeError(java.format, '1:11: Expected "[".')
  return list.map((entry: Record<string, unknown>) => {
    const { type, stateMutability, inputs, outputs, name, ...flags } = entry ?? {}
    const isSet = (key: string) => flags[key] === true
    return {
      ...(isSet('anonymous') ? { anonymous: true } : {}),
      ...(isSet('constant') ? { constant: true } : {}),
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      inputs: readParameters(inputs),
      outputs: readParameters(outputs),
      ...(typeof type === 'string' ? { type: capitalised(type) as 'Function' } : {}),
      ...(isSet('payable') ? { payable: true } : {}),
      ...(typeof stateMutability === 'string'
        ? { stateMutability: capitalised(stateMutability) as 'View' }
        : {}),
    }
  })
}

function readParameters(list: unknown): AbiEntry['inputs'] {
  if (!Array.isArray(list)) return []
  return list.map(({ indexed, name, type }: Record<string, unknown>) => ({
    ...(indexed === true ? { indexed } : {}),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(typeof type === 'string' && type !== '' ? { type } : {}),
  }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NodeError(java.format, '1:11: Expected "[".')
  }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

export const deployEndpoints = [deployContract]
