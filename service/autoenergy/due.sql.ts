import { SOLID_NUMBER, SOLID_TIME } from '../chain/index.ts'

// Conditions under which the loops of this room have work: service/app/dueWatch.ts asks for all at once.

export const SUBSCRIPTIONS_TO_SETTLE = `(
  exists (select from autoenergy.call where state = 'seen' and block_number is not null)
  or exists (select from autoenergy.subscription
              where status = 'pending_activation' or (status = 'closed' and live))
  or exists (select from autoenergy.subscription where paused_until is not null and reserved_sun > 0)
  or exists (select from ledger.blocked_accounts() b join autoenergy.subscription s on s.account_id = b.account
              where s.status = 'active')
  or exists (select from autoenergy.subscription where due_at <= $1))`

export const CALLS_TO_FINISH = `(
  exists (select from autoenergy.call where not final and block_number <= ${SOLID_NUMBER} and state <> 'seen')
  or exists (select from autoenergy.call where not final and block_number is null and expires_at < ${SOLID_TIME}))`
