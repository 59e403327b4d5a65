/** Payments that wait for a decision: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const PAYMENTS_TO_DECIDE = `exists (
  select from agent.payment where status = 'processing' and block_number is not null and try_after <= $1)`
