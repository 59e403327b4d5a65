import { SOLID_NUMBER, SOLID_TIME } from '../chain/index.ts'

// Conditions under which the loops of this room have work: service/app/dueWatch.ts asks for all at once.

export const PAYMENTS_TO_DECIDE = `exists (
  select from agent.payment where status = 'processing' and block_number is not null and try_after <= $1)`

export const PAYMENTS_TO_FINISH = `(
  exists (select from agent.payment where final_at is null and block_number <= ${SOLID_NUMBER})
  or exists (select from agent.payment where final_at is null and block_number is null and expires_at < ${SOLID_TIME})
  or exists (select from agent.payment where orphaned and not compensated and status = 'completed'))`
