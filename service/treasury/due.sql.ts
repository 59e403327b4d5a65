/** Transfers to follow: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const TRANSFERS_TO_FOLLOW = `(exists (select from treasury.transfer where state = 'requested'))`

/** Something is on, or a marketplace is asked about a top-up. */
export const TRANSFERS_TO_PLAN = `(
  exists (select from treasury.hot_wallet where enabled)
  or exists (select from treasury.float where enabled)
  or exists (select from treasury.transfer where state in ('solid', 'missing')))`
