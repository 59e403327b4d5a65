/** The operator's API, mounted at /operator/v1. Not part of the reference that clients read. */
export {
  getOperatorAccount,
  getOperatorAccounts,
  getOperatorAdjustments,
  postOperatorAdjustment,
  postOperatorAdjustmentApproval,
  postOperatorAdjustmentRefusal,
  postOperatorDiscount,
  postOperatorPayout,
} from './operator/accounts.ts'
export * from './operator/announcements.ts'
export * from './operator/bars.ts'
export * from './operator/blocks.ts'
export {
  getOperatorBooks,
  getOperatorMonths,
  postOperatorMonthClose,
} from './operator/books.ts'
export * from './operator/clientTerms.ts'
export * from './operator/find.ts'
export * from './operator/followed.ts'
export * from './operator/groups.ts'
export * from './operator/incidents.ts'
export * from './operator/invoices.ts'
export * from './operator/orders.ts'
export * from './operator/passkeys.ts'
export * from './operator/prices.ts'
export * from './operator/referral.ts'
export * from './operator/session.ts'
export * from './operator/stakeCost.ts'
export * from './operator/stakes.ts'
export * from './operator/statements.ts'
export {
  getOperatorActions,
  getOperatorCapacity,
  getOperatorFindings,
  getOperatorStatus,
  getOperatorSwitches,
  postOperatorAudit,
  postOperatorSwitch,
} from './operator/status.ts'
export * from './operator/team.ts'
export * from './operator/transfers.ts'
export * from './operator/treasury.ts'
