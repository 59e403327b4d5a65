export { itrx } from './itrx.ts'
