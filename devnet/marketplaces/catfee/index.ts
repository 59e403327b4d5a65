export { catfee } from './catfee.ts'
