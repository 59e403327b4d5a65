export { tronsave } from './tronsave.ts'
