import type { HexAddress } from './address.ts'
import type { Permission, ResourceCode } from './contracts.ts'
import { address, int64, list, nodeText, object, safeInteger, text } from './jsonFields.ts'
import { decodePermission } from './transactionJson.ts'
import { NodeTrouble } from './trouble.ts'
import { DecodeError } from './wire.ts'

type Json = Record<string, unknown>

export type Unfreezing = { resource: ResourceCode; amount: bigint; expireTime: number }

export type Account = {
  address: HexAddress
  /** Spendable SUN, without stake. */
  balance: bigint
  createTime: number
  isContract: boolean
  /** Own stake that is not delegated, in SUN. */
  frozen: Record<ResourceCode, bigint>
  unfreezing: Unfreezing[]
  delegatedForEnergy: bigint
  delegatedForBandwidth: bigint
  acquiredForEnergy: bigint
  acquiredForBandwidth: bigint
  ownerPermission: Permission | undefined
  activePermissions: Permission[]
  votes: { witness: HexAddress; count: bigint }[]
  /** When rewards of votes were last paid out, in milliseconds; 0: never. */
  latestWithdraw: number
}

export function decodeAccount(json: unknown): Account {
  const account = object(json, 'account')
  const energy = object(account.account_resource ?? {}, 'account_resource')
  const amount = (of: Json, name: string) => int64(of[name] ?? 0, name)
  return {
    address: address(account.address, 'address'),
    balance: amount(account, 'balance'),
    createTime: safeInteger(account.create_time ?? 0, 'create_time'),
    isContract: account.type === 'Contract',
    frozen: decodeFrozen(list(account.frozenV2 ?? [], 'frozenV2')),
    unfreezing: list(account.unfrozenV2 ?? [], 'unfrozenV2').map(decodeUnfreezing),
    delegatedForEnergy: amount(energy, 'delegated_frozenV2_balance_for_energy'),
    delegatedForBandwidth: amount(account, 'delegated_frozenV2_balance_for_bandwidth'),
    acquiredForEnergy: amount(energy, 'acquired_delegated_frozenV2_balance_for_energy'),
    acquiredForBandwidth: amount(account, 'acquired_delegated_frozenV2_balance_for_bandwidth'),
    ownerPermission:
      account.owner_permission === undefined
        ? undefined
        : decodePermission(account.owner_permission),
    activePermissions: list(account.active_permission ?? [], 'active_permission').map(
      decodePermission,
    ),
    votes: list(account.votes ?? [], 'votes').map(decodeVote),
    latestWithdraw: safeInteger(account.latest_withdraw_time ?? 0, 'latest_withdraw_time'),
  }
}

function decodeVote(json: unknown): Account['votes'][number] {
  const vote = object(json, 'vote')
  return {
    witness: address(vote.vote_address, 'vote_address'),
    count: int64(vote.vote_count ?? 0, 'vote_count'),
  }
}

const resourceFields = {
  freeNetUsed: 'freeNetUsed',
  freeNetLimit: 'freeNetLimit',
  netUsed: 'NetUsed',
  netLimit: 'NetLimit',
  totalNetLimit: 'TotalNetLimit',
  totalNetWeight: 'TotalNetWeight',
  energyUsed: 'EnergyUsed',
  energyLimit: 'EnergyLimit',
  totalEnergyLimit: 'TotalEnergyLimit',
  totalEnergyWeight: 'TotalEnergyWeight',
  tronPowerUsed: 'tronPowerUsed',
  tronPowerLimit: 'tronPowerLimit',
} as const

/** The Energy available now is energyLimit − energyUsed. */
export type AccountResource = Record<keyof typeof resourceFields, bigint>

export function decodeAccountResource(json: unknown): AccountResource {
  const resource = object(json, 'account resource')
  const entries = Object.entries(resourceFields).map(([name, printed]) => [
    name,
    int64(resource[printed] ?? 0, printed),
  ])
  return Object.fromEntries(entries) as AccountResource
}

export type DelegatedResource = {
  from: HexAddress
  to: HexAddress
  balanceForEnergy: bigint
  /** Milliseconds; 0 = not locked. */
  expireTimeForEnergy: number
  balanceForBandwidth: bigint
  expireTimeForBandwidth: number
}

export function decodeDelegatedResource(json: unknown): DelegatedResource {
  const item = object(json, 'delegated resource')
  const time = (name: string) => safeInteger(item[name] ?? 0, name)
  return {
    from: address(item.from, 'from'),
    to: address(item.to, 'to'),
    balanceForEnergy: int64(item.frozen_balance_for_energy ?? 0, 'frozen_balance_for_energy'),
    expireTimeForEnergy: time('expire_time_for_energy'),
    balanceForBandwidth: int64(
      item.frozen_balance_for_bandwidth ?? 0,
      'frozen_balance_for_bandwidth',
    ),
    expireTimeForBandwidth: time('expire_time_for_bandwidth'),
  }
}

/** Committee parameters by java-tron's own key, e.g. getEnergyFee. A key that is absent is unknown. */
export function decodeChainParameters(json: unknown): ReadonlyMap<string, bigint> {
  const items = list(object(json, 'chain parameters').chainParameter, 'chainParameter')
  return new Map(
    items.map((one) => {
      const item = object(one, 'chainParameter')
      return [text(item.key, 'key'), int64(item.value ?? 0, 'value')]
    }),
  )
}

/** Since when, in milliseconds, and how many sun. */
export type PriceSince = { since: number; sun: bigint }

/** "0:10,1542607200000:20": every price there ever was, oldest first. */
export function decodePrices(json: unknown): PriceSince[] {
  const prices = text(object(json, 'prices').prices, 'prices')
  return prices.split(',').map((pair) => {
    const [since, sun, ...more] = pair.split(':')
    if (more.length > 0) throw new DecodeError('prices are not pairs')
    return { since: safeInteger(since, 'since'), sun: int64(sun, 'price') }
  })
}

export type SmartContract = {
  address: HexAddress
  originAddress: HexAddress
  name: string
  consumeUserResourcePercent: bigint
  originEnergyLimit: bigint
}

export function decodeSmartContract(json: unknown): SmartContract {
  const contract = object(json, 'contract')
  return {
    address: address(contract.contract_address, 'contract_address'),
    originAddress: address(contract.origin_address ?? '', 'origin_address'),
    name: text(contract.name ?? '', 'name'),
    consumeUserResourcePercent: int64(
      contract.consume_user_resource_percent ?? 0,
      'consume_user_resource_percent',
    ),
    originEnergyLimit: int64(contract.origin_energy_limit ?? 0, 'origin_energy_limit'),
  }
}

export type ConstantCall =
  | {
      ran: true
      /** Executed and reverted; constantResult then holds the revert payload. */
      reverted: boolean
      energyUsed: bigint
      energyPenalty: bigint
      constantResult: string[]
      message: string
    }
  | { ran: false; code: string; message: string }

// The VM's exceptions are about the contract's code, except that its time was up: a node that is busy or
// has just started gives up on code which it runs a second later.
const failureOfCode = /\bProgram\$(?!OutOfTime)\w+Exception\b/

export function decodeConstantCall(json: unknown): ConstantCall {
  const answer = object(json, 'constant call')
  const result = object(answer.result ?? {}, 'result')
  const message = nodeText(result.message)
  if (result.result !== true) {
    const code = text(result.code ?? 'OTHER_ERROR', 'code')
    // A node without `vm.supportConstant` says that it lacks it, with the code of a bad contract.
    if (message.includes('not support constant')) {
      throw new NodeTrouble('not_served', `constant call: ${message.slice(0, 200)}`)
    }
    if (code === 'OTHER_ERROR' && !failureOfCode.test(message)) {
      throw new NodeTrouble('node_error', `constant call: ${message.slice(0, 200)}`)
    }
    return { ran: false, code, message }
  }
  const transaction = object(answer.transaction ?? {}, 'transaction')
  const ret = object(list(transaction.ret ?? [{}], 'ret')[0] ?? {}, 'ret')
  return {
    ran: true,
    reverted: ret.ret === 'FAILED',
    energyUsed: int64(answer.energy_used ?? 0, 'energy_used'),
    energyPenalty: int64(answer.energy_penalty ?? 0, 'energy_penalty'),
    constantResult: list(answer.constant_result ?? [], 'constant_result').map((one) =>
      text(one, 'constant_result'),
    ),
    message,
  }
}

function decodeFrozen(items: unknown[]): Record<ResourceCode, bigint> {
  const frozen = { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n }
  for (const one of items) {
    const item = object(one, 'frozenV2')
    const type = text(item.type ?? 'BANDWIDTH', 'type')
    if (type in frozen) frozen[type as ResourceCode] += int64(item.amount ?? 0, 'amount')
  }
  return frozen
}

function decodeUnfreezing(json: unknown): Unfreezing {
  const item = object(json, 'unfrozenV2')
  return {
    resource: text(item.type ?? 'BANDWIDTH', 'type') as ResourceCode,
    amount: int64(item.unfreeze_amount ?? 0, 'unfreeze_amount'),
    expireTime: safeInteger(item.unfreeze_expire_time ?? 0, 'unfreeze_expire_time'),
  }
}
