import { type HexAddress, toBase58 } from '@ergon/tron'
import { type Account, stakeFor } from './account.ts'
import { fees, limits } from './parameters.ts'
import { InvalidContract, Refusal } from './refusal.ts'
import { type Pool, remaining, remainingFree, unitsOfStake, use, useFree } from './resources.ts'
import { type ReadTables, total, type View, type WriteTables } from './state.ts'

/** The state a transaction runs on, and the time of the block before it: java's "head" slot. */
export type Ground = {
  tables: WriteTables
  timestamp: number
  slot: number
  /** Set while a node validates a transaction that it is asked to build. */
  isBuilding?: boolean
}

export function bandwidthPool(tables: ReadTables): Pool {
  return { limit: limits.bandwidthTotal, weight: total(tables, 'netWeight') }
}

export function energyPool(tables: ReadTables): Pool {
  return { limit: limits.energyTotal, weight: total(tables, 'energyWeight') }
}

/** Energy of the account's stake and delegations that is not used at the view's time. */
export function energyLeft({ tables, slot }: View | Ground, account: Account): bigint {
  const limit = unitsOfStake(stakeFor(account, 'ENERGY'), energyPool(tables))
  const left = limit - remaining(account.usage.ENERGY, slot)
  return left > 0n ? left : 0n
}

export type BandwidthBill = { net_usage?: bigint; net_fee?: bigint }

/** Staked bandwidth, then the free allowance, then burned TRX (BandwidthProcessor.consume). */
export function payBandwidth(
  ground: Ground,
  { owner, bytes, createsAccount }: { owner: HexAddress; bytes: bigint; createsAccount: boolean },
): BandwidthBill {
  const account = ground.tables.accounts.get(owner)
  if (!account) throw new InvalidContract(`account [${toBase58(owner)}] does not exist`)
  const { timestamp: latestOperationTime, slot } = ground
  const usage = account.usage.BANDWIDTH
  const limit = unitsOfStake(stakeFor(account, 'BANDWIDTH'), bandwidthPool(ground.tables))
  if (bytes <= limit - remaining(usage, slot)) {
    const BANDWIDTH = use(usage, bytes, slot)
    const changed = { ...account, latestOperationTime, usage: { ...account.usage, BANDWIDTH } }
    ground.tables.accounts.set(owner, changed)
    return { net_usage: bytes }
  }
  // The free allowance does not pay for new accounts, or anyone could fill the state for nothing.
  if (!createsAccount && bytes <= limits.freeBandwidth - remainingFree(account.free, slot)) {
    const free = useFree(account.free, bytes, slot)
    ground.tables.accounts.set(owner, { ...account, latestOperationTime, free })
    return { net_usage: bytes }
  }
  const fee = createsAccount ? fees.accountBandwidthSun : fees.bandwidthSun * bytes
  if (account.balance < fee) throw insufficientResource()
  const paid = { ...account, latestOperationTime, balance: account.balance - fee }
  ground.tables.accounts.set(owner, paid)
  burn(ground.tables, fee)
  return { net_fee: fee }
}

/** Takes a fee from an account's balance out of the supply. */
export function payFee(tables: WriteTables, owner: HexAddress, fee: bigint): void {
  const account = tables.accounts.get(owner)
  if (!account || account.balance < fee) throw insufficientResource()
  tables.accounts.set(owner, { ...account, balance: account.balance - fee })
  burn(tables, fee)
}

export function burn(tables: WriteTables, sun: bigint): void {
  if (sun > 0n) tables.totals.set('burned', total(tables, 'burned') + sun)
}

function insufficientResource(): Refusal {
  return new Refusal('BANDWITH_ERROR', 'Account resource insufficient error.')
}
