import { STAKE_ACTIONS, type StakeAction } from '@ergon/contract/approval.ts'
import type { Contract, RawTransaction } from '@ergon/tron'

/** How often the signer votes and claims for one stake. A vote counts from the next 6 hours on; a claim is paid once a day. */
export const STAKE_TIMES = { vote: { hour: 2n, day: 4n }, claim: { hour: 2n, day: 4n } } as const
export type Timed = keyof typeof STAKE_TIMES

export const isTimed = (purpose: string): purpose is Timed => Object.hasOwn(STAKE_TIMES, purpose)

/** Operators approve these as they approve payouts. */
export const isStakeAction = (purpose: string): purpose is StakeAction =>
  STAKE_ACTIONS.some((action) => action === purpose)

/** Signed only with approvals, and written into the signer's own file before the signature leaves. */
export const needsApproval = (purpose: string) => purpose === 'payout' || isStakeAction(purpose)

/** The same as a list in SQL. */
export const APPROVED_PURPOSES = `(${['payout', ...STAKE_ACTIONS].map((one) => `'${one}'`).join(', ')})`

export const isOfStake = (purpose: string): purpose is StakeAction | Timed =>
  isStakeAction(purpose) || isTimed(purpose)

const CONTRACTS: Record<StakeAction | Timed, Contract['type']> = {
  freeze: 'FreezeBalanceV2Contract',
  unfreeze: 'UnfreezeBalanceV2Contract',
  withdraw: 'WithdrawExpireUnfreezeContract',
  cancel_unfreeze: 'CancelAllUnfreezeV2Contract',
  vote: 'VoteWitnessContract',
  claim: 'WithdrawBalanceContract',
}

/** What the bytes of a stake's transaction do, as approvals name it. */
export function stakeMoveOf(contract: Contract): { amountSun?: bigint; resource?: string } {
  if (contract.type === 'FreezeBalanceV2Contract') {
    return { amountSun: contract.value.frozen_balance, resource: contract.value.resource }
  }
  if (contract.type === 'UnfreezeBalanceV2Contract') {
    return { amountSun: contract.value.unfreeze_balance, resource: contract.value.resource }
  }
  return {}
}

/** The purpose's own rules; those of amounts and permissions are the policy's. */
export function objectionToMove(
  purpose: StakeAction | Timed,
  { contract }: RawTransaction,
  witnesses: ReadonlySet<string>,
): string | undefined {
  if (contract.type !== CONTRACTS[purpose]) return `not a ${CONTRACTS[purpose]}`
  if (stakeMoveOf(contract).resource === 'TRON_POWER') return 'only Energy and Bandwidth are staked'
  if (contract.type !== 'VoteWitnessContract') return undefined
  const { votes, support } = contract.value
  if (support !== undefined) return 'a vote has no other field than its votes'
  if (votes.length === 0) return 'a vote names a witness'
  const stranger = votes.find(({ vote_address }) => !witnesses.has(vote_address))
  if (stranger) return "votes go only to witnesses in the signer's file"
  return votes.some(({ vote_count }) => vote_count <= 0n) ? 'a vote of less than 1' : undefined
}
