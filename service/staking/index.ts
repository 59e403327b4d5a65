export {
  type ListedOperation,
  type StakeWish,
  type StakingResponse,
  textToApprove,
} from './operations.ts'
export type { Action, Plan, StakedResource } from './plan.ts'
export { isStakeContract } from './recover.ts'
export type { ReadStake, Stake, Unlock } from './stake.ts'
export { createStaking, type Staking } from './staking.ts'
