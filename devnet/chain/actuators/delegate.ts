import { type ContractValues, type HexAddress, isHexAddress } from '@ergon/tron'
import { type Account, type DelegableResource, stakeFor } from '../account.ts'
import { bandwidthPool, energyPool, type Ground } from '../bandwidth.ts'
import { limits, slotMs } from '../parameters.ts'
import { ensure } from '../refusal.ts'
import { undelegate as moveUsage, type Pool, remaining, stakeOfUnits, trx } from '../resources.ts'
import { type Delegation, delegationKey, type ReadTables, type WriteTables } from '../state.ts'
import type { SystemOutcome } from './outcome.ts'

/** Own stake that is neither delegated nor needed to cover what the account has used itself. */
export function delegatable(
  { tables, slot }: { tables: ReadTables; slot: number },
  account: Account,
  resource: DelegableResource,
  extraUnits = 0n,
): bigint {
  const units = remaining(account.usage[resource], slot) + extraUnits
  const inUse = stakeOfUnits(units, poolOf(tables, resource)) - account.acquired[resource]
  return account.frozen[resource] - (inUse > 0n ? inUse : 0n)
}

/**
 * Bytes of a delegation of all the stake, which a node takes off the bandwidth that it says can be
 * delegated (TransactionUtil.estimateConsumeBandWidthSize): 275, and what the longest lock and the
 * balance take more than a plain delegation of 1 TRX.
 */
export function delegationBytes(owner: Account, resource: DelegableResource): bigint {
  if (resource === 'ENERGY') return 0n
  const balance = owner.frozen.BANDWIDTH
  const balanceField = balance === 0n ? 0 : 1 + varintBytes(balance)
  const lockFields = 2 + 1 + varintBytes(limits.lockPeriodMax)
  return BigInt(275 + balanceField + lockFields - (1 + varintBytes(trx)))
}

function varintBytes(value: bigint): number {
  return Math.ceil(value.toString(2).length / 7)
}

export function delegate(
  ground: Ground,
  value: ContractValues['DelegateResourceContract'],
): SystemOutcome {
  const { tables, timestamp } = ground
  const { owner_address, receiver_address, balance, resource, lock = false } = value
  ensure(isHexAddress(owner_address), 'Invalid address')
  const owner = tables.accounts.get(owner_address)
  ensure(owner !== undefined, `Account[${owner_address}] not exists`)
  ensure(balance >= trx, 'delegateBalance must be greater than or equal to 1 TRX')
  // java looks at the balance inside the switch over the resource, so an unknown one comes first.
  ensure(resource !== 'TRON_POWER', 'ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]')
  // A node that builds the transaction also leaves room for the bandwidth it will cost.
  const reserved = ground.isBuilding ? delegationBytes(owner, resource) : 0n
  const pool = resource === 'ENERGY' ? 'FreezeEnergyV2' : 'FreezeBandwidthV2'
  ensure(
    delegatable(ground, owner, resource, reserved) >= balance,
    `delegateBalance must be less than or equal to available ${pool} balance`,
  )
  ensure(isHexAddress(receiver_address), 'Invalid receiverAddress')
  ensure(receiver_address !== owner_address, 'receiverAddress must not be the same as ownerAddress')
  const receiver = tables.accounts.get(receiver_address)
  ensure(receiver !== undefined, `Account[${receiver_address}] not exists`)
  const lockMs = lock ? checkLock(ground, value, resource) : 0
  ensure(receiver.kind !== 'Contract', 'Do not allow delegate resources to contract addresses')

  unlockExpired(tables, owner_address, receiver_address, timestamp)
  const key = delegationKey(owner_address, receiver_address, lock)
  const record =
    tables.delegations.get(key) ?? newDelegation(owner_address, receiver_address, lock, timestamp)
  // A locked delegation sets the expiry of the whole locked balance, older parts included.
  tables.delegations.set(key, {
    ...record,
    time: timestamp,
    balance: { ...record.balance, [resource]: record.balance[resource] + balance },
    expireTime: { ...record.expireTime, [resource]: lock ? timestamp + lockMs : 0 },
  })
  tables.accounts.set(receiver_address, acquire(receiver, resource, balance))
  tables.accounts.set(owner_address, lend(owner, resource, balance))
  return { fee: 0n }
}

export function undelegate(
  { tables, timestamp, slot }: Ground,
  value: ContractValues['UnDelegateResourceContract'],
): SystemOutcome {
  const { owner_address, receiver_address, balance, resource } = value
  ensure(isHexAddress(owner_address), 'Invalid address')
  const owner = tables.accounts.get(owner_address)
  ensure(owner !== undefined, `Account[${owner_address}] does not exist`)
  ensure(isHexAddress(receiver_address), 'Invalid receiverAddress')
  ensure(receiver_address !== owner_address, 'receiverAddress must not be the same as ownerAddress')
  const unlocked = tables.delegations.get(delegationKey(owner_address, receiver_address, false))
  const locked = tables.delegations.get(delegationKey(owner_address, receiver_address, true))
  ensure(unlocked !== undefined || locked !== undefined, 'delegated Resource does not exist')
  ensure(balance > 0n, 'unDelegateBalance must be more than 0 TRX')
  ensure(resource !== 'TRON_POWER', 'ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]')
  const expired = locked && locked.expireTime[resource] < timestamp
  const free = (unlocked?.balance[resource] ?? 0n) + (expired ? locked.balance[resource] : 0n)
  const name =
    resource === 'ENERGY' ? 'delegateFrozenBalance(Energy)' : 'delegatedFrozenBalance(BANDWIDTH)'
  ensure(free >= balance, `insufficient ${name}, request=${balance}, unlock_balance=${free}`)

  unlockExpired(tables, owner_address, receiver_address, timestamp)
  takeBack(tables, delegationKey(owner_address, receiver_address, false), resource, balance)
  const receiver = tables.accounts.get(receiver_address)
  let usage = owner.usage[resource]
  if (receiver) {
    const moved = moveUsage({
      owner: usage,
      receiver: receiver.usage[resource],
      receiverStake: stakeFor(receiver, resource),
      amount: balance,
      pool: poolOf(tables, resource),
      now: slot,
    })
    usage = moved.owner
    const left = { ...receiver, usage: { ...receiver.usage, [resource]: moved.receiver } }
    tables.accounts.set(receiver_address, acquire(left, resource, -balance))
  }
  const back = { ...owner, usage: { ...owner.usage, [resource]: usage } }
  tables.accounts.set(owner_address, lend(back, resource, -balance))
  return { fee: 0n }
}

/** The length of the lock in milliseconds; 0 blocks means three days. */
function checkLock(
  { tables, timestamp }: Ground,
  value: ContractValues['DelegateResourceContract'],
  resource: DelegableResource,
): number {
  const period = value.lock_period || limits.lockPeriodDefault
  ensure(
    period >= 0n && period <= limits.lockPeriodMax,
    `The lock period of delegate resource cannot be less than 0 and cannot exceed ${limits.lockPeriodMax}!`,
  )
  const lockMs = Number(period) * slotMs
  const key = delegationKey(value.owner_address, value.receiver_address, true)
  const remainingMs = (tables.delegations.get(key)?.expireTime[resource] ?? 0) - timestamp
  ensure(
    lockMs >= remainingMs,
    `The lock period for ${resource} this time cannot be less than the ` +
      `remaining time[${remainingMs}ms] of the last lock period for ${resource}!`,
  )
  return lockMs
}

/** What was locked and has expired joins the unlocked record (DelegatedResourceStore). */
function unlockExpired(tables: WriteTables, from: HexAddress, to: HexAddress, now: number): void {
  const lockedKey = delegationKey(from, to, true)
  const locked = tables.delegations.get(lockedKey)
  if (!locked) return
  const isExpired = (resource: DelegableResource) =>
    locked.balance[resource] > 0n && locked.expireTime[resource] < now
  const expired = (['BANDWIDTH', 'ENERGY'] as const).filter(isExpired)
  if (expired.length === 0) return
  const unlockedKey = delegationKey(from, to, false)
  const unlocked =
    tables.delegations.get(unlockedKey) ?? newDelegation(from, to, false, locked.time)
  const kept = { ...locked, balance: { ...locked.balance }, expireTime: { ...locked.expireTime } }
  const freed = { ...unlocked, balance: { ...unlocked.balance } }
  for (const resource of expired) {
    freed.balance[resource] += kept.balance[resource]
    kept.balance[resource] = 0n
    kept.expireTime[resource] = 0
  }
  tables.delegations.set(lockedKey, isEmpty(kept) ? undefined : kept)
  tables.delegations.set(unlockedKey, freed)
}

function takeBack(
  tables: WriteTables,
  key: string,
  resource: DelegableResource,
  sun: bigint,
): void {
  const record = tables.delegations.get(key)!
  const balance = { ...record.balance, [resource]: record.balance[resource] - sun }
  const left = { ...record, balance }
  tables.delegations.set(key, isEmpty(left) ? undefined : left)
}

function newDelegation(
  from: HexAddress,
  to: HexAddress,
  locked: boolean,
  time: number,
): Delegation {
  const balance = { BANDWIDTH: 0n, ENERGY: 0n }
  return { from, to, locked, balance, expireTime: { BANDWIDTH: 0, ENERGY: 0 }, time }
}

function isEmpty({ balance }: Delegation): boolean {
  return balance.BANDWIDTH === 0n && balance.ENERGY === 0n
}

function acquire(receiver: Account, resource: DelegableResource, sun: bigint): Account {
  const acquired = { ...receiver.acquired, [resource]: receiver.acquired[resource] + sun }
  return { ...receiver, acquired }
}

function lend(owner: Account, resource: DelegableResource, sun: bigint): Account {
  const frozen = { ...owner.frozen, [resource]: owner.frozen[resource] - sun }
  const delegated = { ...owner.delegated, [resource]: owner.delegated[resource] + sun }
  return { ...owner, frozen, delegated }
}

function poolOf(tables: ReadTables, resource: DelegableResource): Pool {
  return resource === 'ENERGY' ? energyPool(tables) : bandwidthPool(tables)
}
