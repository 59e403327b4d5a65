export { createErgon } from './ergon.ts'
