import { statement } from '../db/index.ts'
import type { Order } from './order.ts'
import type { SettledRow } from './store.ts'

export type OpenedRow = {
  outcome: 'opened' | 'selling_off' | 'blocked' | 'too_many'
  amount: bigint | null
}

export const openCheckout = statement<OpenedRow>(
  'orders.openCheckout',
  `
  select outcome, amount from orders.open_checkout($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
`,
)

export const findCheckout = statement<{ amount: bigint; expiresAt: Date }>(
  'orders.findCheckout',
  `
  select amount_sun as amount, expires_at as "expiresAt" from orders.checkout where order_id = $1
`,
)

export type PayableRow = Pick<Order, 'id' | 'account' | 'amount' | 'receiver'> & { due: bigint }

/** Open checkouts that deposits of these amounts pay: mined by $3, or already waiting for a final block. */
export const lockPayable = statement<PayableRow>(
  'orders.lockPayable',
  `
  select o.id, o.account_id as account, o.resource_amount as amount, o.receiver_address as receiver,
         c.amount_sun as due
    from (select distinct account, amount from unnest($1::uuid[], $2::bigint[]) as g(account, amount)) g
    join orders.checkout c on c.account_id = g.account and c.amount_sun = g.amount
    join orders.purchase_order o on o.id = c.order_id
   where c.open and (c.expires_at >= $3 or c.waits_for && $4::text[]) and o.status = 'AWAITING_PAYMENT'
   order by o.id
     for update of o, c
`,
)

export const payCheckouts = statement<{ id: string }>(
  'orders.payCheckouts',
  `
  select order_id as id from orders.pay_checkouts($1, $2, $3, $4, $5, $6)
`,
)

/** A deposit pays it once its block is final; until then it does not expire. */
export const waitForDeposit = statement(
  'orders.waitForDeposit',
  `
  update orders.checkout set waits_for = waits_for || $2::text where order_id = $1
`,
)

export const endWaiting = statement(
  'orders.endWaiting',
  `
  update orders.checkout c
     set waits_for = array(select r from unnest(c.waits_for) as r where r <> all ($2::text[]))
   where c.order_id = any ($1) and c.waits_for && $2::text[]
`,
)

export const lockUnpaid = statement<SettledRow>(
  'orders.lockUnpaid',
  `
  select o.id, o.account_id as account, o.resource_amount as amount, o.receiver_address as receiver,
         o.price_sun as price, o.source, o.trace
    from orders.checkout c
    join orders.purchase_order o on o.id = c.order_id
   where c.open and c.expires_at < $1 and c.waits_for = '{}' and o.id <> all ($3::uuid[])
   order by o.id
   limit $2
     for update of o, c skip locked
`,
)

export const closeCheckouts = statement(
  'orders.closeCheckouts',
  `
  update orders.checkout set open = false where order_id = any ($1)
`,
)
