export { createTronSave } from './tronsave.ts'
