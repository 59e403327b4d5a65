export { createOwnStake } from './ownStake.ts'
export { energyOf, stakeFor, type Totals } from './stake.ts'
