import { statement } from '../db/index.ts'

/**
 * The lock is written to the log, so this waits for the standby as the purchase would have: a commit
 * whose wait was cut off can be seen here before the standby has it, and would be lost with this server.
 */
export const findKey = statement<{ response: string }>(
  'orders.findKey',
  `
  select response from orders.idempotency_key where account_id = $1 and key = $2 and order_id = $3
     for update
`,
)
