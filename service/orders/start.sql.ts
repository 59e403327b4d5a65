import { statement } from '../db/index.ts'
import type { Order } from './order.ts'

/** `paidAt`: an order becomes PENDING with its purchase and changes next when it is started. */
export type PendingRow = Pick<Order, 'id' | 'account' | 'amount' | 'receiver'> & {
  paidAt: Date
  trace: string
}

export const lockPending = statement<PendingRow>(
  'orders.lockPending',
  `
  select id, account_id as account, resource_amount as amount, receiver_address as receiver,
         updated_at as "paidAt", trace
    from orders.purchase_order
   where status = 'PENDING' and id <> all ($2::uuid[])
   order by id
   limit $1
     for update skip locked
`,
)

export const startOrders = statement(
  'orders.startOrders',
  `
  update orders.purchase_order set status = 'PROCESSING', updated_at = $2 where id = any ($1)
`,
)
