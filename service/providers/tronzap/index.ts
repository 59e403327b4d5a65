export { createTronZap } from './tronzap.ts'
