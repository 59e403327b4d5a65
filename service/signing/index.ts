export { amountOf, type Limits, objectionTo, type PolicyContext } from './policy.ts'
export { createSigning, type Purpose, type Signing, type SigningRequest } from './signing.ts'
export {
  insertAnswers,
  LEASE_KEY,
  type OutflowRow,
  openOutflows,
  publishAddress,
  readSwitch,
  signedSince,
  type WaitingRow,
  waitingRequests,
} from './store.ts'
export { turnSigningOn } from './turnOn.ts'
