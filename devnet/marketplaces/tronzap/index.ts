export { tronzap } from './tronzap.ts'
