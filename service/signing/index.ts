export { amountOf, type Limits, objectionTo, type PolicyContext } from './policy.ts'
export { createSigning, type Purpose, type Signing, type SigningRequest } from './signing.ts'
export {
  insertAnswers,
  LEASE_KEY,
  lookAtOutflows,
  type OutflowRow,
  openOutflows,
  publishAddress,
  readSwitch,
  signedSince,
  turnOn,
  type WaitingRow,
  waitingRequests,
} from './store.ts'
