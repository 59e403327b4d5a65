export { createOwnStake } from './ownStake.ts'
