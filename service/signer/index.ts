export { createKeyFile, openMnemonic, publicKeysOf, readSecret } from './keyFile.ts'
