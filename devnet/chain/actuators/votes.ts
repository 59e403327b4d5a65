import { type ContractValues, type HexAddress, isHexAddress } from '@ergon/tron'
import { tronPower, votesOf } from '../account.ts'
import type { Ground } from '../bandwidth.ts'
import { witnessKey } from '../networkKeys.ts'
import { ensure } from '../refusal.ts'
import { trx } from '../resources.ts'
import { changeVotes, rewardOf, settleReward } from '../rewards.ts'
import type { WriteTables } from '../state.ts'
import type { SystemOutcome } from './outcome.ts'

const votesMax = 30
const int64Max = 2n ** 63n - 1n

export function vote(
  { tables }: Ground,
  { owner_address, votes }: ContractValues['VoteWitnessContract'],
): SystemOutcome {
  ensure(isHexAddress(owner_address), 'Invalid address')
  ensure(votes.length > 0, 'VoteNumber must more than 0')
  ensure(votes.length <= votesMax, `VoteNumber more than maxVoteNumber ${votesMax}`)
  let sum = 0n
  for (const { vote_address, vote_count } of votes) {
    ensure(isHexAddress(vote_address), 'Invalid vote address!')
    ensure(vote_count > 0n, 'vote count must be greater than 0')
    ensure(tables.accounts.get(vote_address) !== undefined, `Account[${vote_address}] not exists`)
    ensure(tables.witnesses.get(vote_address) !== undefined, `Witness[${vote_address}] not exists`)
    sum += vote_count
  }
  const account = tables.accounts.get(owner_address)
  ensure(account !== undefined, `Account[${owner_address}] not exists`)
  const power = tronPower(account)
  ensure(sum * trx <= int64Max, 'overflow: checkedMultiply')
  ensure(
    sum * trx <= power,
    `The total number of votes[${sum * trx}] is greater than the tronPower[${power}]`,
  )
  settleReward(tables, owner_address)
  const given = votes.map(({ vote_address, vote_count }) => ({
    witness: vote_address,
    count: vote_count,
  }))
  changeVotes(tables, owner_address, given)
  return { fee: 0n }
}

/** Less stake than votes: each witness keeps its share of what is left. */
export function fitVotes(tables: WriteTables, owner: HexAddress): void {
  const account = tables.accounts.get(owner)!
  const { votes = [] } = account
  const sum = votesOf(account)
  const power = tronPower(account)
  if (votes.length === 0 || power >= sum * trx) return
  const kept = votes.map(({ witness, count }) => ({
    witness,
    // java computes this in doubles.
    count: BigInt(Math.trunc(((Number(count) / Number(sum)) * Number(power)) / 1e6)),
  }))
  const left = kept.filter(({ count }) => count > 0n)
  changeVotes(tables, owner, left)
}

const dayMs = 86_400_000

export function withdrawReward(
  { tables, timestamp }: Ground,
  { owner_address }: ContractValues['WithdrawBalanceContract'],
): SystemOutcome {
  ensure(isHexAddress(owner_address), 'Invalid address')
  const account = tables.accounts.get(owner_address)
  ensure(account !== undefined, `Account[${owner_address}] not exists`)
  ensure(
    owner_address !== witnessKey.address,
    `Account[${owner_address}] is a guard representative and is not allowed to withdraw Balance`,
  )
  const last = account.latestWithdrawTime ?? 0
  ensure(timestamp - last >= dayMs, `The last withdraw time is ${last}, less than 24 hours`)
  ensure(rewardOf(tables, owner_address) > 0n, 'witnessAccount does not have any reward')
  settleReward(tables, owner_address)
  const { allowance = 0n, ...settled } = tables.accounts.get(owner_address)!
  tables.accounts.set(owner_address, {
    ...settled,
    balance: settled.balance + allowance,
    latestWithdrawTime: timestamp,
  })
  return { fee: 0n, withdraw_amount: allowance }
}

const nameBytesMax = 200

export function updateAccount(
  { tables }: Ground,
  { owner_address, account_name = '' }: ContractValues['AccountUpdateContract'],
): SystemOutcome {
  ensure(account_name.length / 2 <= nameBytesMax, 'Invalid accountName')
  ensure(isHexAddress(owner_address), 'Invalid ownerAddress')
  const account = tables.accounts.get(owner_address)
  ensure(account !== undefined, 'Account does not exist')
  ensure(account.name === undefined, 'This account name is already existed')
  const isTaken = [...tables.accounts.entries()].some(([, { name }]) => name === account_name)
  ensure(!isTaken, 'This name is existed')
  tables.accounts.set(owner_address, { ...account, name: account_name })
  return { fee: 0n }
}
