export { createStakeCosts, type StakeCosting, type StakeCosts, type StakeUses } from './costing.ts'
export { createOwnStake } from './ownStake.ts'
export { energyOf, type Totals } from './stake.ts'
export { stakeDays } from './stakeDays.ts'
