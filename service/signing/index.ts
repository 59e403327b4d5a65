export { SIGNATURES_TO_TAKE, SIGNER_WANTED, WILL_WAKE } from './due.sql.ts'
export { isApprovalKey, isSignatureOf, publicKeyOf, signText } from './payouts/approvalKey.ts'
export type { Approval, PayoutAttempt } from './payouts/approvals.ts'
export {
  type ApprovalRow,
  approvalsOf,
  findAnswered,
  missingInFile,
  newCancellations,
  publishPayoutLimit,
  setRecorded,
} from './payouts/store.ts'
export { amountOf, type Limits, objectionTo, type PolicyContext, paymentOf } from './policy.ts'
export {
  findRequested,
  isNearHead,
  knownCancellations,
  knownPayouts,
  type ToBookRow,
} from './recovery.sql.ts'
export type { Booked } from './recovery.ts'
export { ONE_APPROVAL } from './signing.sql.ts'
export { createSigning, type Purpose, type Signing, type SigningRequest } from './signing.ts'
export {
  isOfStake,
  isStakeAction,
  isTimed,
  needsApproval,
  STAKE_TIMES,
  stakeMoveOf,
  type Timed,
} from './stakePolicy.ts'
export {
  type DestinationRow,
  dropDestinations,
  insertAnswers,
  LEASE_KEY,
  type OutflowRow,
  openOutflows,
  publishAddress,
  publishDepositRoot,
  publishDestinations,
  readSwitch,
  readWanted,
  signedSince,
  type WaitingRow,
  waitingRequests,
} from './store.ts'
export { turnSigningOn } from './turnOn.ts'
