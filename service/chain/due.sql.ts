/** Transactions to send: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const BROADCASTS_TO_SEND = "exists (select from chain.broadcast where state = 'pending')"

/** Changes with each block, each reorganisation and each block that becomes final. */
export const BLOCK_READ = '(select block_id || solid_id from chain.cursor)'
