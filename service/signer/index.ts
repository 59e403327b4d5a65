export { createKeyFile, openMnemonic, publicKeysOf, readSecret } from './keyFile.ts'
export { turnSigningOn } from './turnOn.ts'
