import type { HexAddress, Permission, ResourceCode } from '@ergon/tron'
import { noUsage, type Usage } from './resources.ts'

export type DelegableResource = 'BANDWIDTH' | 'ENERGY'

type Unfreezing = { resource: ResourceCode; amount: bigint; expireTime: number }

export type Vote = { witness: HexAddress; count: bigint }

/** An account of the chain. Never changed in place: the undo journal keeps the old object. */
export type Account = {
  kind: 'Normal' | 'Contract'
  balance: bigint
  createTime: number
  latestOperationTime: number
  free: Usage
  usage: Record<DelegableResource, Usage>
  /** Own stake that is not delegated out. */
  frozen: Record<ResourceCode, bigint>
  delegated: Record<DelegableResource, bigint>
  acquired: Record<DelegableResource, bigint>
  unfreezing: readonly Unfreezing[]
  isWitness: boolean
  /** Hex of the name; absent while it has none. */
  name?: string
  /** What the account votes for; it counts from the next maintenance on. */
  votes?: readonly Vote[]
  /** Rewards that wait to be withdrawn. */
  allowance?: bigint
  latestWithdrawTime?: number
  /** Absent while the account has the permissions every account is born with. */
  permissions?: AccountPermissions
}

export type AccountPermissions = {
  owner: Permission
  witness?: Permission
  actives: readonly Permission[]
}

/** Operations of a default active permission on mainnet: everything but the account's own keys. */
const defaultOperations = '7fff1fc0033efb0f'.padEnd(64, '0')

export function newAccount(createTime: number, kind: Account['kind'] = 'Normal'): Account {
  return {
    kind,
    balance: 0n,
    createTime,
    latestOperationTime: 0,
    free: noUsage,
    usage: { BANDWIDTH: noUsage, ENERGY: noUsage },
    frozen: { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n },
    delegated: { BANDWIDTH: 0n, ENERGY: 0n },
    acquired: { BANDWIDTH: 0n, ENERGY: 0n },
    unfreezing: [],
    isWitness: false,
  }
}

/** The stake that gives the account its resource: its own and what others delegated to it. */
export function stakeFor(account: Account, resource: DelegableResource): bigint {
  return account.frozen[resource] + account.acquired[resource]
}

/** The stake that votes: an owner keeps the votes of what it has delegated. */
export function tronPower({ frozen, delegated }: Account): bigint {
  return frozen.BANDWIDTH + frozen.ENERGY + delegated.BANDWIDTH + delegated.ENERGY
}

export function votesOf({ votes = [] }: Account): bigint {
  return votes.reduce((sum, { count }) => sum + count, 0n)
}

export function permissionsOf(address: HexAddress, account: Account): AccountPermissions {
  return account.permissions ?? defaultPermissions(address, account.isWitness)
}

export function defaultPermissions(address: HexAddress, isWitness: boolean): AccountPermissions {
  const keys = [{ address, weight: 1n }]
  return {
    owner: { permission_name: 'owner', threshold: 1n, keys },
    ...(isWitness
      ? { witness: { type: 'Witness', id: 1, permission_name: 'witness', threshold: 1n, keys } }
      : {}),
    actives: [
      {
        type: 'Active',
        id: 2,
        permission_name: 'active',
        threshold: 1n,
        operations: defaultOperations,
        keys,
      },
    ],
  }
}
