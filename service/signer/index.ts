export { type Confirmed, confirmRecovery } from './confirm.ts'
export { createSignerFiles } from './init.ts'
export {
  changePassphrase,
  createKeyFile,
  importKeyFile,
  openMnemonic,
  publicKeysOf,
  readSecret,
} from './keyFile.ts'
export { createOperatorKey, openOperatorKey } from './operatorKey.ts'
export { isOperator, readTrust, type Trust, writeTrust } from './trust.ts'
export { type Change, changed, textOfChange } from './trustChange.ts'
