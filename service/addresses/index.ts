export { type Addresses, createAddresses } from './addresses.ts'
