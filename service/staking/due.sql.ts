/** Operations to send, to follow or to cancel: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const OPERATIONS_UNDER_WAY = `(
  exists (
    select from staking.operation
     where state in ('approved', 'cancelling')
       and (state = 'cancelling' or txid is not null
            or ((try_after is null or try_after <= $1) and (not_before is null or not_before <= $1)))))`
