import { SOLID_NUMBER, SOLID_TIME } from '../chain/index.ts'

/** Deposits to end, sweeps under way, payouts to send, to follow or to cancel: service/app/dueWatch.ts asks for the work
 * of all rooms at once. */
export const MONEY_TO_FINISH = `(
  exists (select from deposits.deposit
           where verified_at is null and status <> 'reverted' and block_number <= ${SOLID_NUMBER})
  or exists (select from deposits.deposit
              where verified_at is null and status = 'pending' and block_number is null and expires_at < ${SOLID_TIME})
  or exists (select from deposits.sweep where state = 'open')
  or exists (
    select from deposits.payout
     where state in ('approved', 'cancelling')
       and (state = 'cancelling' or txid is not null
            or ((try_after is null or try_after <= $1) and (not_before is null or not_before <= $1)))))`
