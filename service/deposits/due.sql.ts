/** Payouts to send or to cancel: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const PAYOUTS_TO_SEND = `exists (
  select from deposits.payout
   where state in ('approved', 'cancelling')
     and (state = 'cancelling' or (txid is null and (try_after is null or try_after <= $1)
          and (not_before is null or not_before <= $1))))`
