import {
  type Contract,
  type ContractType,
  contractFromJson,
  DecodeError,
  encodeRaw,
  type RawTransaction,
} from '@ergon/tron'
import { actuate, type SystemContract } from '../actuators/index.ts'
import type { Chain } from '../chain.ts'
import { InvalidContract, Refusal } from '../refusal.ts'
import { scratch } from '../state.ts'
import { transactionJson } from './render.ts'
import { type Context, type Endpoint, java, NodeError, type Params } from './request.ts'

const expirationMs = 60_000

/** The reference is the solid block, the expiration counts from the head, the time is the clock's. */
export function buildRaw(
  chain: Chain,
  contract: Contract,
  { feeLimit = 0n, data = '' }: { feeLimit?: bigint; data?: string } = {},
): RawTransaction {
  const { id } = chain.block(chain.solidNumber)!
  return {
    contract,
    refBlockBytes: id.slice(12, 16),
    refBlockHash: id.slice(16, 32),
    expiration: chain.head.timestamp + expirationMs,
    timestamp: chain.clock.now(),
    feeLimit,
    data,
  }
}

export function unsignedJson(raw: RawTransaction, visible: boolean): Record<string, unknown> {
  const json = transactionJson({ raw, rawBytes: encodeRaw(raw), signatures: [] }, visible)
  return { visible, ...json }
}

/** Reads the contract's own fields out of the call; int64, enums and addresses as a node does. */
export function readContract(type: ContractType, params: Params): Contract {
  const { Permission_id } = params.values
  const value = params.values
  try {
    return contractFromJson({ type, parameter: { value }, Permission_id })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new NodeError(java.format, `1:1: ${nodeWords(error.message)}`)
  }
}

function nodeWords(text: string): string {
  if (text.endsWith('is not hex')) return 'INVALID hex String'
  if (text.endsWith('is not an int64')) return "Couldn't parse integer: For input string"
  return text
}

function builder(path: string, type: SystemContract['type']): Endpoint {
  return { path, methods: 'POST', solidity: false, run: (context) => build(context, type) }
}

function build({ chain, sight, params }: Context, type: SystemContract['type']): unknown {
  const contract = readContract(type, params) as SystemContract
  const { tables, timestamp, slot } = sight.view
  try {
    actuate({ tables: scratch(tables), timestamp, slot, isBuilding: true }, contract)
  } catch (error) {
    if (error instanceof InvalidContract) throw new NodeError(java.validate, error.message)
    // A fee that cannot be paid is found by executing, and a node only validates here.
    if (!(error instanceof Refusal)) throw error
  }
  const memo = params.text('extra_data') ?? ''
  const data = params.visible ? Buffer.from(memo).toString('hex') : params.hex('extra_data')
  return unsignedJson(buildRaw(chain, contract, { data }), params.visible)
}

export const builderEndpoints = [
  builder('createtransaction', 'TransferContract'),
  builder('createaccount', 'AccountCreateContract'),
  builder('freezebalancev2', 'FreezeBalanceV2Contract'),
  builder('unfreezebalancev2', 'UnfreezeBalanceV2Contract'),
  builder('delegateresource', 'DelegateResourceContract'),
  builder('undelegateresource', 'UnDelegateResourceContract'),
  builder('withdrawexpireunfreeze', 'WithdrawExpireUnfreezeContract'),
  builder('cancelallunfreezev2', 'CancelAllUnfreezeV2Contract'),
  builder('accountpermissionupdate', 'AccountPermissionUpdateContract'),
]
