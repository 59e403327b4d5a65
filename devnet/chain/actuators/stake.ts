import { type ContractValues, type HexAddress, isHexAddress, type ResourceCode } from '@ergon/tron'
import type { Account, DelegableResource } from '../account.ts'
import type { Ground } from '../bandwidth.ts'
import { limits } from '../parameters.ts'
import { ensure } from '../refusal.ts'
import { trx } from '../resources.ts'
import { settleReward } from '../rewards.ts'
import { type Total, total, type WriteTables } from '../state.ts'
import type { SystemOutcome } from './outcome.ts'
import { fitVotes } from './votes.ts'

const weightOf: Record<DelegableResource, Total> = {
  BANDWIDTH: 'netWeight',
  ENERGY: 'energyWeight',
}

export function freeze(
  { tables }: Ground,
  { owner_address, frozen_balance, resource }: ContractValues['FreezeBalanceV2Contract'],
): SystemOutcome {
  const account = ownerOf(tables, owner_address, 'not exists')
  ensure(frozen_balance > 0n, 'frozenBalance must be positive')
  ensure(frozen_balance >= trx, 'frozenBalance must be greater than or equal to 1 TRX')
  ensure(
    frozen_balance <= account.balance,
    'frozenBalance must be less than or equal to accountBalance',
  )
  ensure(isDelegable(resource), 'ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]')
  const paid = { ...account, balance: account.balance - frozen_balance }
  tables.accounts.set(owner_address, addStake(tables, paid, resource, frozen_balance))
  return { fee: 0n }
}

export function unfreeze(
  { tables, timestamp }: Ground,
  { owner_address, unfreeze_balance, resource }: ContractValues['UnfreezeBalanceV2Contract'],
): SystemOutcome {
  const account = ownerOf(tables, owner_address, 'does not exist')
  ensure(isDelegable(resource), 'ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]')
  const name = resource === 'ENERGY' ? 'Energy' : 'BANDWIDTH'
  ensure(account.frozen[resource] > 0n, `no frozenBalance(${name})`)
  ensure(
    unfreeze_balance > 0n && unfreeze_balance <= account.frozen[resource],
    `Invalid unfreeze_balance, [${unfreeze_balance}] is error`,
  )
  const pending = account.unfreezing.filter(({ expireTime }) => expireTime > timestamp)
  ensure(
    pending.length < limits.unfreezingMax,
    'Invalid unfreeze operation, unfreezing times is over limit',
  )
  const expireTime = timestamp + limits.unfreezeDelayMs
  settleReward(tables, owner_address)
  const settled = tables.accounts.get(owner_address)!
  const { account: withdrawn, amount } = withdrawExpired(settled, timestamp)
  const unfreezing = [...withdrawn.unfreezing, { resource, amount: unfreeze_balance, expireTime }]
  const changed = addStake(tables, { ...withdrawn, unfreezing }, resource, -unfreeze_balance)
  tables.accounts.set(owner_address, changed)
  fitVotes(tables, owner_address)
  return { fee: 0n, withdraw_expire_amount: amount }
}

export function withdrawExpireUnfreeze(
  { tables, timestamp }: Ground,
  { owner_address }: ContractValues['WithdrawExpireUnfreezeContract'],
): SystemOutcome {
  const account = ownerOf(tables, owner_address, 'not exists')
  const { account: withdrawn, amount } = withdrawExpired(account, timestamp)
  // The blank at the end is java-tron's.
  ensure(amount > 0n, 'no unFreeze balance to withdraw ')
  tables.accounts.set(owner_address, withdrawn)
  return { fee: 0n, withdraw_expire_amount: amount }
}

export function cancelAllUnfreeze(
  { tables, timestamp }: Ground,
  { owner_address }: ContractValues['CancelAllUnfreezeV2Contract'],
): SystemOutcome {
  const account = ownerOf(tables, owner_address, 'not exists')
  ensure(account.unfreezing.length > 0, 'No unfreezeV2 list to cancel')
  const { account: withdrawn, amount } = withdrawExpired(account, timestamp)
  const cancelled: Record<ResourceCode, bigint> = { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n }
  let changed: Account = { ...withdrawn, unfreezing: [] }
  for (const { resource, amount } of withdrawn.unfreezing) {
    if (isDelegable(resource)) changed = addStake(tables, changed, resource, amount)
    cancelled[resource] += amount
  }
  tables.accounts.set(owner_address, changed)
  return { fee: 0n, withdraw_expire_amount: amount, cancel_unfreezeV2_amount: cancelled }
}

/** Changes an account's own stake; the chain's total weight counts whole TRX of each account. */
function addStake(
  tables: WriteTables,
  account: Account,
  resource: DelegableResource,
  sun: bigint,
): Account {
  const before = account.frozen[resource] + account.delegated[resource]
  const weight = (before + sun) / trx - before / trx
  tables.totals.set(weightOf[resource], total(tables, weightOf[resource]) + weight)
  return { ...account, frozen: { ...account.frozen, [resource]: account.frozen[resource] + sun } }
}

function withdrawExpired(account: Account, now: number): { account: Account; amount: bigint } {
  let amount = 0n
  const unfreezing = account.unfreezing.filter((item) => {
    if (item.expireTime <= now) amount += item.amount
    return item.expireTime > now
  })
  return { account: { ...account, unfreezing, balance: account.balance + amount }, amount }
}

function ownerOf(tables: WriteTables, owner: HexAddress, missing: string): Account {
  ensure(isHexAddress(owner), 'Invalid address')
  const account = tables.accounts.get(owner)
  ensure(account !== undefined, `Account[${owner}] ${missing}`)
  return account
}

function isDelegable(resource: ResourceCode): resource is DelegableResource {
  return resource !== 'TRON_POWER'
}
