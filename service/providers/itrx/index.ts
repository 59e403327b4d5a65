export { createItrx } from './itrx.ts'
