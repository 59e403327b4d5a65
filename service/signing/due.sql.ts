/** Work for the signer: requests that it may have to answer, and cancellations that it has to record. */
export const SIGNER_WANTED = `(exists (select from signing.request where not handed_over)
  or exists (select from signing.cancellation where recorded_at is null))`

/** Requests without a signature, or with one that nobody took over yet. */
export const SIGNATURES_TO_TAKE = 'exists (select from signing.request where not handed_over)'

/** What a parent tells its signer that it wakes it for all of the above. */
export const WILL_WAKE = 'will wake'
