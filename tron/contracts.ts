import type { HexAddress } from './address.ts'

// Field names are java-tron's own JSON names, so that a value can be compared with the chain's
// documentation. An optional field is absent when it has its default (0, false, empty): on the
// wire, in JSON and in a decoded value.

export type ResourceCode = 'BANDWIDTH' | 'ENERGY' | 'TRON_POWER'

export type PermissionKey = { address: HexAddress; weight: bigint }

export type Permission = {
  type?: 'Owner' | 'Witness' | 'Active'
  id?: number
  permission_name?: string
  threshold: bigint
  parent_id?: number
  /** 32 bytes of hex; bit n of byte n/8 allows contract id n. Active permissions only. */
  operations?: string
  keys: PermissionKey[]
}

export type AbiParameter = { indexed?: boolean; name?: string; type?: string }

export type AbiEntry = {
  anonymous?: boolean
  constant?: boolean
  name?: string
  inputs: AbiParameter[]
  outputs: AbiParameter[]
  type?: 'Constructor' | 'Function' | 'Event' | 'Fallback' | 'Receive' | 'Error'
  payable?: boolean
  stateMutability?: 'Pure' | 'View' | 'Nonpayable' | 'Payable'
}

export type NewContract = {
  origin_address: HexAddress
  contract_address?: HexAddress
  abi?: { entrys: AbiEntry[] }
  /** Hex, with the constructor's arguments behind it. */
  bytecode?: string
  call_value?: bigint
  consume_user_resource_percent?: bigint
  name?: string
  origin_energy_limit?: bigint
}

export type ContractValues = {
  AccountCreateContract: {
    owner_address: HexAddress
    account_address: HexAddress
    type?: 'Normal' | 'AssetIssue' | 'Contract'
  }
  TransferContract: { owner_address: HexAddress; to_address: HexAddress; amount: bigint }
  TriggerSmartContract: {
    owner_address: HexAddress
    contract_address: HexAddress
    call_value?: bigint
    /** Hex calldata; '' calls the fallback. */
    data: string
    call_token_value?: bigint
    token_id?: bigint
  }
  VoteWitnessContract: {
    owner_address: HexAddress
    votes: { vote_address: HexAddress; vote_count: bigint }[]
    support?: boolean
  }
  /** The name is the hex of its bytes. */
  AccountUpdateContract: { account_name?: string; owner_address: HexAddress }
  /** Takes the rewards of votes. */
  WithdrawBalanceContract: { owner_address: HexAddress }
  CreateSmartContract: {
    owner_address: HexAddress
    new_contract?: NewContract
    call_token_value?: bigint
    token_id?: bigint
  }
  AccountPermissionUpdateContract: {
    owner_address: HexAddress
    owner?: Permission
    witness?: Permission
    actives: Permission[]
  }
  FreezeBalanceV2Contract: {
    owner_address: HexAddress
    frozen_balance: bigint
    resource: ResourceCode
  }
  UnfreezeBalanceV2Contract: {
    owner_address: HexAddress
    unfreeze_balance: bigint
    resource: ResourceCode
  }
  WithdrawExpireUnfreezeContract: { owner_address: HexAddress }
  DelegateResourceContract: {
    owner_address: HexAddress
    resource: ResourceCode
    balance: bigint
    receiver_address: HexAddress
    lock?: boolean
    /** Blocks of 3 seconds; with lock, absent means 86,400. */
    lock_period?: bigint
  }
  UnDelegateResourceContract: {
    owner_address: HexAddress
    resource: ResourceCode
    balance: bigint
    receiver_address: HexAddress
  }
  CancelAllUnfreezeV2Contract: { owner_address: HexAddress }
}

export type ContractType = keyof ContractValues

export type ContractOf<T extends ContractType> = {
  type: T
  value: ContractValues[T]
  /** Absent (or 0) signs as the owner; 2 and above is an active permission. Part of the txID. */
  permissionId?: number
}

export type Contract = { [T in ContractType]: ContractOf<T> }[ContractType]

/** The numbers of ContractType in java-tron's Tron.proto. */
export const contractIds: Record<ContractType, number> = {
  AccountCreateContract: 0,
  TransferContract: 1,
  VoteWitnessContract: 4,
  AccountUpdateContract: 10,
  WithdrawBalanceContract: 13,
  CreateSmartContract: 30,
  TriggerSmartContract: 31,
  AccountPermissionUpdateContract: 46,
  FreezeBalanceV2Contract: 54,
  UnfreezeBalanceV2Contract: 55,
  WithdrawExpireUnfreezeContract: 56,
  DelegateResourceContract: 57,
  UnDelegateResourceContract: 58,
  CancelAllUnfreezeV2Contract: 59,
}

const typeById = new Map(
  Object.entries(contractIds).map(([type, id]) => [id, type as ContractType]),
)

export function contractTypeOf(id: number): ContractType | undefined {
  return typeById.get(id)
}

export function isContractType(name: string): name is ContractType {
  return Object.hasOwn(contractIds, name)
}
