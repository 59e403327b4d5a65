/** Transactions to send: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const BROADCASTS_TO_SEND = "exists (select from chain.broadcast where state = 'pending')"

/** Up to where the chain can no longer change; null before the first block. */
export const SOLID_NUMBER = '(select solid_number from chain.cursor)'
export const SOLID_TIME = '(select solid_time from chain.cursor)'

/** The time of the newest block read. */
export const READ_TIME = '(select block_time from chain.cursor)'

/** Changes with each block read, each block that becomes final, and each answer of a node that is written. */
export const CHAIN_SEEN = `(
  select concat_ws(' ', c.block_id, c.solid_id, h.number, h.seen_at) from chain.cursor c left join chain.head h on true)`
