import { statement } from '../db/index.ts'
import type { Order } from './order.ts'

export type SettledRow = Pick<
  Order,
  'id' | 'account' | 'amount' | 'receiver' | 'price' | 'source'
> & {
  trace: string
}

export const failOrders = statement(
  'orders.failOrders',
  `
  update orders.purchase_order o set status = 'FAILED', updated_at = $3, error_message = g.error
    from unnest($1::uuid[], $2::text[]) as g(id, error)
   where o.id = g.id
`,
)
