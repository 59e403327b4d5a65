export { type Addresses, createAddresses } from './addresses.ts'
export { isOwnershipProven } from './ownership.ts'
