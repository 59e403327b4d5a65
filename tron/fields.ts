import type { ContractType } from './contracts.ts'

export type FieldKind =
  | 'address'
  | 'bytes'
  | 'text'
  | 'int64'
  | 'int32'
  | 'bool'
  | { names: readonly string[] }
  | { message: readonly Field[] }

/**
 * One field of a protobuf message, as java-tron's .proto files number and name it. `optional`
 * fields are absent from a decoded value when they have their default, `list` fields repeat.
 */
export type Field = {
  tag: number
  name: string
  kind: FieldKind
  presence: 'required' | 'optional' | 'list'
}

const required = (tag: number, name: string, kind: FieldKind): Field => ({
  tag,
  name,
  kind,
  presence: 'required',
})
const optional = (tag: number, name: string, kind: FieldKind): Field => ({
  tag,
  name,
  kind,
  presence: 'optional',
})
const list = (tag: number, name: string, kind: FieldKind): Field => ({
  tag,
  name,
  kind,
  presence: 'list',
})

// The index of a name is its number on the wire.
const resourceCode = { names: ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] }
const permissionType = { names: ['Owner', 'Witness', 'Active'] }
const accountType = { names: ['Normal', 'AssetIssue', 'Contract'] }

const owner = required(1, 'owner_address', 'address')

/** Permission (core/Tron.proto), inside contracts and in the JSON of an account. */
export const permissionFields: readonly Field[] = [
  optional(1, 'type', permissionType),
  optional(2, 'id', 'int32'),
  optional(3, 'permission_name', 'text'),
  required(4, 'threshold', 'int64'),
  optional(5, 'parent_id', 'int32'),
  optional(6, 'operations', 'bytes'),
  list(7, 'keys', {
    message: [required(1, 'address', 'address'), required(2, 'weight', 'int64')],
  }),
]
const permission = { message: permissionFields }

const parameter = {
  message: [
    optional(1, 'indexed', 'bool'),
    optional(2, 'name', 'text'),
    optional(3, 'type', 'text'),
  ],
}
const abi = {
  message: [
    list(1, 'entrys', {
      message: [
        optional(1, 'anonymous', 'bool'),
        optional(2, 'constant', 'bool'),
        optional(3, 'name', 'text'),
        list(4, 'inputs', parameter),
        list(5, 'outputs', parameter),
        optional(6, 'type', {
          names: [
            'UnknownEntryType',
            'Constructor',
            'Function',
            'Event',
            'Fallback',
            'Receive',
            'Error',
          ],
        }),
        optional(7, 'payable', 'bool'),
        optional(8, 'stateMutability', {
          names: ['UnknownMutabilityType', 'Pure', 'View', 'Nonpayable', 'Payable'],
        }),
      ],
    }),
  ],
}
const newContract = {
  message: [
    required(1, 'origin_address', 'address'),
    optional(2, 'contract_address', 'address'),
    optional(3, 'abi', abi),
    optional(4, 'bytecode', 'bytes'),
    optional(5, 'call_value', 'int64'),
    optional(6, 'consume_user_resource_percent', 'int64'),
    optional(7, 'name', 'text'),
    optional(8, 'origin_energy_limit', 'int64'),
  ],
}

/** Sources: protocol/src/main/protos/core/contract/*.proto and core/Tron.proto of java-tron. */
export const contractFields: Record<ContractType, readonly Field[]> = {
  AccountCreateContract: [
    owner,
    required(2, 'account_address', 'address'),
    optional(3, 'type', accountType),
  ],
  TransferContract: [owner, required(2, 'to_address', 'address'), required(3, 'amount', 'int64')],
  TriggerSmartContract: [
    owner,
    required(2, 'contract_address', 'address'),
    optional(3, 'call_value', 'int64'),
    required(4, 'data', 'bytes'),
    optional(5, 'call_token_value', 'int64'),
    optional(6, 'token_id', 'int64'),
  ],
  VoteWitnessContract: [
    owner,
    list(2, 'votes', {
      message: [required(1, 'vote_address', 'address'), required(2, 'vote_count', 'int64')],
    }),
    optional(3, 'support', 'bool'),
  ],
  AccountUpdateContract: [
    optional(1, 'account_name', 'bytes'),
    required(2, 'owner_address', 'address'),
  ],
  WithdrawBalanceContract: [owner],
  CreateSmartContract: [
    owner,
    optional(2, 'new_contract', newContract),
    optional(3, 'call_token_value', 'int64'),
    optional(4, 'token_id', 'int64'),
  ],
  AccountPermissionUpdateContract: [
    owner,
    optional(2, 'owner', permission),
    optional(3, 'witness', permission),
    list(4, 'actives', permission),
  ],
  FreezeBalanceV2Contract: [
    owner,
    required(2, 'frozen_balance', 'int64'),
    required(3, 'resource', resourceCode),
  ],
  UnfreezeBalanceV2Contract: [
    owner,
    required(2, 'unfreeze_balance', 'int64'),
    required(3, 'resource', resourceCode),
  ],
  WithdrawExpireUnfreezeContract: [owner],
  DelegateResourceContract: [
    owner,
    required(2, 'resource', resourceCode),
    required(3, 'balance', 'int64'),
    required(4, 'receiver_address', 'address'),
    optional(5, 'lock', 'bool'),
    optional(6, 'lock_period', 'int64'),
  ],
  UnDelegateResourceContract: [
    owner,
    required(2, 'resource', resourceCode),
    required(3, 'balance', 'int64'),
    required(4, 'receiver_address', 'address'),
  ],
  CancelAllUnfreezeV2Contract: [owner],
}
