import { statement } from '../db/index.ts'

/**
 * Locks the row, which is logged, so that this waits for the standby as the purchase would have. A
 * commit whose wait was cut off is visible before the standby has it, and could be lost in a fail-over.
 */
export const findKey = statement<{ response: string }>(
  'orders.findKey',
  `
  select response from orders.idempotency_key where account_id = $1 and key = $2 and order_id = $3
     for update
`,
)
