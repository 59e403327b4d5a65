import { statement } from '../db/index.ts'
import type { SettledRow } from './store.ts'

/** Skips final orders: the first outcome has done everything. */
export const lockProcessing = statement<SettledRow>(
  'orders.lockProcessing',
  `
  select id, account_id as account, resource_amount as amount, receiver_address as receiver,
         price_sun as price, source, trace
    from orders.purchase_order
   where id = any ($1) and status = 'PROCESSING'
   order by id
     for update
`,
)

/** The transactions of an order are one text: nested arrays in SQL must have equal lengths. */
export const completeOrders = statement(
  'orders.completeOrders',
  `
  update orders.purchase_order o
     set status = 'COMPLETED', updated_at = $3, completed_at = $3, delegation_txids = string_to_array(g.txids, ' ')
    from unnest($1::uuid[], $2::text[]) as g(id, txids)
   where o.id = g.id
`,
)
