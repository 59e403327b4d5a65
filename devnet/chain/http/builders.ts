import {
  type Contract,
  type ContractType,
  contractFields,
  contractFromJson,
  DecodeError,
  encodeRaw,
  type Field,
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
  const value = readFields(contractFields[type], params)
  const Permission_id = Number(params.longValue('Permission_id'))
  try {
    return contractFromJson({ type, parameter: { value }, Permission_id })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new NodeError(java.format, `1:1: ${error.message}`)
  }
}

/** The outermost fields, in the order of the body: the first that is wrong is the one a node names. */
function readFields(fields: readonly Field[], params: Params): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(params.values)) {
    const field = fields.find((one) => one.name === name)
    if (!field || given === null) continue
    value[name] = readField(field, params)
  }
  return value
}

function readField({ name, kind, presence }: Field, params: Params): unknown {
  const given = params.values[name]
  if (presence === 'list') return given
  if (kind === 'int64' || kind === 'int32') return params.integer(name)
  if (kind === 'address') return params.address(name)
  if (kind === 'bytes') return params.strictText(name) && params.hex(name)
  if (kind === 'text') return params.strictText(name)
  if (kind === 'bool') {
    if (typeof given === 'boolean') return given
    throw params.formatError(name, 'Expected "true" or "false".')
  }
  if ('message' in kind) return given
  const known = typeof given === 'number' ? kind.names[given] : given
  if (typeof known === 'string' && kind.names.includes(known)) return known
  const type = name === 'resource' ? 'protocol.ResourceCode' : 'protocol.AccountType'
  const wanted = typeof given === 'number' ? `with number ${given}` : `named "${given}"`
  throw params.formatError(name, `Enum type "${type}" has no value ${wanted}.`)
}

type BuilderForm = { emptyGet?: boolean; memo?: boolean }

function builder(path: string, type: SystemContract['type'], form: BuilderForm = {}): Endpoint {
  const { emptyGet = false, memo = false } = form
  return {
    path,
    methods: 'POST',
    emptyGet,
    solidity: false,
    run: (context) => build(context, type, memo),
  }
}

function build(
  { chain, sight, params }: Context,
  type: SystemContract['type'],
  takesMemo: boolean,
): unknown {
  const contract = readContract(type, params) as SystemContract
  const { tables, timestamp, slot } = sight.view
  try {
    actuate({ tables: scratch(tables), timestamp, slot, isBuilding: true }, contract)
  } catch (error) {
    if (error instanceof InvalidContract) throw new NodeError(java.validate, error.message)
    // A fee that cannot be paid is found by executing, and a node only validates here.
    if (!(error instanceof Refusal)) throw error
  }
  const data = takesMemo ? memoOf(params) : ''
  return unsignedJson(buildRaw(chain, contract, { data }), params.visible)
}

export function memoOf(params: Params): string {
  const memo = params.text('extra_data') ?? ''
  return params.visible ? Buffer.from(memo).toString('hex') : params.hex('extra_data')
}

/** Refuses every call of Stake 1.0, which the network has closed. */
function closed(path: string, sentence: string): Endpoint {
  return {
    path,
    methods: 'POST',
    emptyGet: true,
    solidity: false,
    run() {
      throw new NodeError(java.validate, sentence)
    },
  }
}

const old = { emptyGet: true }

export const builderEndpoints = [
  builder('createtransaction', 'TransferContract', { ...old, memo: true }),
  builder('createaccount', 'AccountCreateContract', old),
  builder('updateaccount', 'AccountUpdateContract', old),
  builder('votewitnessaccount', 'VoteWitnessContract', old),
  builder('withdrawbalance', 'WithdrawBalanceContract', old),
  builder('freezebalancev2', 'FreezeBalanceV2Contract'),
  builder('unfreezebalancev2', 'UnfreezeBalanceV2Contract'),
  builder('delegateresource', 'DelegateResourceContract'),
  builder('undelegateresource', 'UnDelegateResourceContract'),
  builder('withdrawexpireunfreeze', 'WithdrawExpireUnfreezeContract'),
  builder('cancelallunfreezev2', 'CancelAllUnfreezeV2Contract'),
  builder('accountpermissionupdate', 'AccountPermissionUpdateContract'),
  closed('freezebalance', 'freeze v2 is open, old freeze is closed'),
]
