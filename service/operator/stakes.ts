import { type HexAddress, type ResourceCode, toBase58 } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Clock } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import { type Advice, adviceOf } from './stakeAdvice.ts'

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
  unfreezing: bigint
  /** Unfrozen and past its wait: spendable once it is withdrawn. */
  withdrawable: bigint
  /** TRON Power, one for each staked TRX, and how much of it votes. */
  power: bigint
  voting: bigint
  reward: bigint
  /** When rewards can be claimed: the chain pays them once in 24 hours. */
  claimableFrom: Date
}

/** The stakes, in order of time what unlocks, and how much more stake would have been sold. */
export type Stakes = { stakes: Stake[]; calendar: Unlock[]; advice: Advice }

const DAY_MS = 86_400_000

type Deps = { chain: Chain; clock: Clock; delivery: Delivery; signing: Signing }

/** Reads stakes that are on the chain; a stake that was never activated is left out. */
export async function readStakes({ chain, clock, delivery, signing }: Deps): Promise<Stakes> {
  const now = clock.now()
  const owners = await signing.addresses('stake')
  const read = await Promise.all(owners.map((owner) => readStake(chain, owner, now)))
  const known = read.flatMap((one) => one ?? [])
  const totals = known[0]?.totals ?? { limit: 0n, weight: 0n }
  return {
    stakes: known.map(({ stake }) => stake),
    calendar: known
      .flatMap(({ unlocks }) => unlocks)
      .toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    advice: adviceOf(await delivery.outlook.bought(), totals),
  }
}

async function readStake({ node }: Chain, owner: HexAddress, now: Date) {
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
  const stake: Stake = {
    address,
    spendable: account.balance,
    energy: account.frozen.ENERGY + account.delegatedForEnergy,
    bandwidth: account.frozen.BANDWIDTH + account.delegatedForBandwidth,
    delegated: account.delegatedForEnergy,
    unfreezing: sum(unlocks) - sum(due),
    withdrawable: sum(due),
    power: resource.tronPowerLimit,
    voting: account.votes.reduce((total, { count }) => total + count, 0n),
    reward,
    claimableFrom: new Date(account.latestWithdraw + DAY_MS),
  }
  const totals = { limit: resource.totalEnergyLimit, weight: resource.totalEnergyWeight }
  return { stake, unlocks, totals }
}
