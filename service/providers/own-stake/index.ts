export { createOwnStake } from './ownStake.ts'
export { energyOf, type Totals } from './stake.ts'
