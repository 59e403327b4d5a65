export { createCatFee } from './catfee.ts'
