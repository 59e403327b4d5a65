import { type HexAddress, type Permission, type ResourceCode, toBase58 } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'

/** TRX that come back from a stake, and when. */
export type Unlock = { stake: string; resource: ResourceCode; amount: bigint; at: Date }

/** One of our stakes, as the chain has it now. Amounts in SUN. */
export type Stake = {
  address: string
  /** Not staked: pays its fees, and can be frozen. */
  spendable: bigint
  energy: bigint
  bandwidth: bigint
  /** The part of the stake for Energy that is delegated now. It cannot be unfrozen. */
  delegated: bigint
  delegatedBandwidth: bigint
  unfreezing: bigint
  /** Unfrozen and past its wait: spendable once it is withdrawn. */
  withdrawable: bigint
  /** TRON Power, one for each staked TRX, and how much of it votes. */
  power: bigint
  voting: bigint
  votes: { witness: string; count: bigint }[]
  reward: bigint
  /** When rewards can be claimed: the chain pays them once in 24 hours. */
  claimableFrom: Date
}

/** What stake gives: the network's totals of both resources, the first Energy. */
export type Totals = { limit: bigint; weight: bigint; netLimit: bigint; netWeight: bigint }

export type ReadStake = {
  owner: HexAddress
  stake: Stake
  unlocks: Unlock[]
  totals: Totals
  permissions: readonly Permission[]
}

const DAY_MS = 86_400_000

/** Undefined for a stake that was never activated. */
export async function readStake(
  { node }: Chain,
  owner: HexAddress,
  now: Date,
): Promise<ReadStake | undefined> {
  const [account, resource, reward] = await Promise.all([
    node.getAccount(owner),
    node.getAccountResource(owner),
    node.getReward(owner),
  ])
  if (!account || !resource) return undefined
  const address = toBase58(owner)
  const unlocks: Unlock[] = account.unfreezing.map(({ resource: kind, amount, expireTime }) => ({
    stake: address,
    resource: kind,
    amount,
    at: new Date(expireTime),
  }))
  const sum = (some: Unlock[]) => some.reduce((total, { amount }) => total + amount, 0n)
  const due = unlocks.filter(({ at }) => at <= now)
  const votes = account.votes.map(({ witness, count }) => ({ witness: toBase58(witness), count }))
  const stake: Stake = {
    address,
    spendable: account.balance,
    energy: account.frozen.ENERGY + account.delegatedForEnergy,
    bandwidth: account.frozen.BANDWIDTH + account.delegatedForBandwidth,
    delegated: account.delegatedForEnergy,
    delegatedBandwidth: account.delegatedForBandwidth,
    unfreezing: sum(unlocks) - sum(due),
    withdrawable: sum(due),
    power: resource.tronPowerLimit,
    voting: votes.reduce((total, { count }) => total + count, 0n),
    votes,
    reward,
    claimableFrom: new Date(account.latestWithdraw + DAY_MS),
  }
  const totals = {
    limit: resource.totalEnergyLimit,
    weight: resource.totalEnergyWeight,
    netLimit: resource.totalNetLimit,
    netWeight: resource.totalNetWeight,
  }
  return { owner, stake, unlocks, totals, permissions: account.activePermissions }
}
