import { statement } from '../db/index.ts'
import type { Order } from './order.ts'

export type BuyRow = {
  outcome: 'accepted' | 'replayed' | 'in_flight' | 'refused' | 'selling_off' | 'insufficient'
  response: string | null
  balance: bigint | null
}

export const buyMany = statement<BuyRow>(
  'orders.buyMany',
  `
  select outcome, response, balance
    from orders.buy_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   order by place
`,
)

export const findKey = statement<{ response: string }>(
  'orders.findKey',
  `
  select response from orders.idempotency_key where account_id = $1 and key = $2 and order_id = $3
`,
)

const COLUMNS = `
  id, account_id as account, number, status, resource_amount as amount, receiver_address as receiver,
  buyer_address as buyer, price_sun as price, source, delegation_txids as txids, error_message as error,
  created_at as "createdAt", updated_at as "updatedAt", completed_at as "completedAt"`

export const findOrders = statement<Order>(
  'orders.findOrders',
  `
  select ${COLUMNS} from orders.purchase_order where id = any ($1)
`,
)

export type PendingRow = Pick<Order, 'id' | 'amount' | 'receiver' | 'createdAt'> & { trace: string }

export const lockPending = statement<PendingRow>(
  'orders.lockPending',
  `
  select id, resource_amount as amount, receiver_address as receiver, created_at as "createdAt", trace
    from orders.purchase_order
   where status = 'PENDING'
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

export type SettledRow = Pick<Order, 'id' | 'account' | 'amount' | 'receiver' | 'price'> & {
  trace: string
}

/** Nothing when the order is final already: whoever ended it first has done everything. */
export const lockProcessing = statement<SettledRow>(
  'orders.lockProcessing',
  `
  select id, account_id as account, resource_amount as amount, receiver_address as receiver,
         price_sun as price, trace
    from orders.purchase_order
   where id = $1 and status = 'PROCESSING'
     for update
`,
)

export const completeOrder = statement(
  'orders.completeOrder',
  `
  update orders.purchase_order
     set status = 'COMPLETED', updated_at = $2, completed_at = $2, delegation_txids = $3
   where id = $1
`,
)

export const failOrder = statement(
  'orders.failOrder',
  `
  update orders.purchase_order set status = 'FAILED', updated_at = $2, error_message = $3 where id = $1
`,
)

export const readSelling = statement<{ enabled: boolean; reason: string | null }>(
  'orders.readSelling',
  `select enabled, reason from orders.selling`,
)

export const writeSelling = statement(
  'orders.writeSelling',
  `
  update orders.selling set enabled = $1, reason = $2
`,
)
