export * from './address.ts'
export * from './block.ts'
export * from './build.ts'
export * from './client.ts'
export {
  type AbiEntry,
  type Contract,
  type ContractOf,
  type ContractType,
  type ContractValues,
  contractIds,
  contractTypeOf,
  isContractType,
  type NewContract,
  type Permission,
  type PermissionKey,
  type ResourceCode,
} from './contracts.ts'
export * from './decodedBlock.ts'
export type { World } from './exchange.ts'
export { contractFields, type Field } from './fields.ts'
export * from './json.ts'
export {
  addressAt,
  addressDeriver,
  addressOfPrivateKey,
  addressOfPublicKey,
  extendedPublicKey,
  generateMnemonic,
  KeyError,
  privateKeyAt,
} from './keys.ts'
export * from './message.ts'
export type { NodeStatus } from './nodePool.ts'
export type {
  Account,
  AccountResource,
  ConstantCall,
  DelegatedResource,
  SmartContract,
  Unfreezing,
} from './nodeState.ts'
export type { Post, PostAnswer } from './post.ts'
export * from './signature.ts'
export type { ConstantCallRequest } from './stateReads.ts'
export * from './transaction.ts'
export {
  decodeTransactionInfo,
  type InternalTransaction,
  type InternalTransfer,
  type Log,
  type Receipt,
  type TransactionInfo,
  transfersOf,
} from './transactionInfo.ts'
export * from './transactionJson.ts'
export * from './trouble.ts'
export { encodeValue } from './valueCodec.ts'
export { DecodeError, EncodeError } from './wire.ts'
