export { amountOf, type Limits, objectionTo, type PolicyContext } from './policy.ts'
export { createSigning, type Purpose, type Signing, type SigningRequest } from './signing.ts'
export {
  insertAnswers,
  publishAddress,
  signedSince,
  type WaitingRow,
  waitingRequests,
} from './store.ts'
