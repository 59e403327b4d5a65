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

export const buyOne = statement<BuyRow>(
  'orders.buyOne',
  `
  select outcome, response, balance
    from orders.buy_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
`,
)

export const sellOne = statement<{ outcome: 'sold' | 'selling_off' | 'insufficient' }>(
  'orders.sellOne',
  `
  select outcome from orders.sell_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
`,
)

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

export const countOrders = statement<{ total: bigint }>(
  'orders.countOrders',
  `
  select coalesce(max(number), 0) as total from orders.purchase_order where account_id = $1
`,
)

export const findMatching = statement<{ total: bigint; numbers: string[] }>(
  'orders.findMatching',
  `
  select total, numbers::text[] as numbers from orders.find_matching($1, $2, $3, $4)
`,
)

export const listByNumber = statement<Order>(
  'orders.listByNumber',
  `
  select ${COLUMNS}
    from orders.purchase_order
   where account_id = $1 and number = any ($2::bigint[])
   order by number desc
`,
)

export const foldPairs = statement<{ folded: bigint }>(
  'orders.foldPairs',
  `select orders.fold_pairs($1, $2) as folded`,
)

export const unfoldedAccounts = statement<{ account: string; behind: bigint }>(
  'orders.unfoldedAccounts',
  `select account_id as account, behind from orders.unfolded_accounts($1, $2)`,
)

/** Skips locked keys: a purchase may be replacing an expired one. */
export const pruneKeys = statement<{ key: string }>(
  'orders.pruneKeys',
  `
  delete from orders.idempotency_key k
   using (select account_id, key from orders.idempotency_key
           where created_at < $1
           order by created_at
           limit $2
             for update skip locked) old
   where k.account_id = old.account_id and k.key = old.key
  returning k.key
`,
)

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

export type SettledRow = Pick<
  Order,
  'id' | 'account' | 'amount' | 'receiver' | 'price' | 'source'
> & {
  trace: string
}

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

export const failOrders = statement(
  'orders.failOrders',
  `
  update orders.purchase_order o set status = 'FAILED', updated_at = $3, error_message = g.error
    from unnest($1::uuid[], $2::text[]) as g(id, error)
   where o.id = g.id
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

export type OpenedRow = {
  outcome: 'opened' | 'selling_off' | 'too_many'
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
   where c.open and c.expires_at < $1 and c.waits_for = '{}'
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

export type RecentRow = Pick<Order, 'account' | 'id' | 'status'>

/** The newest orders of each account. */
export const recentStates = statement<RecentRow>(
  'orders.recentStates',
  `
  select a.id as account, o.id, o.status
    from unnest($1::uuid[]) as a(id)
   cross join lateral (select p.id, p.status from orders.purchase_order p
                        where p.account_id = a.id order by p.number desc limit $2) o
`,
)

export type EnergyDay = { day: string; energy: bigint }

/** $3 limits the rows: an account with more orders in two weeks sees the newest. */
export const energyByDay = statement<EnergyDay>(
  'orders.energyByDay',
  `
  select to_char(o.completed_at at time zone 'UTC', 'YYYY-MM-DD') as day, sum(o.resource_amount)::bigint as energy
    from (select completed_at, resource_amount from orders.purchase_order
           where account_id = $1 order by number desc limit $3) o
   where o.completed_at >= $2
   group by 1
`,
)

export const readCompleted = statement<{ orders: bigint; energy: bigint }>(
  'orders.readCompleted',
  `
  select count(*) as orders, coalesce(sum(resource_amount), 0)::bigint as energy
    from orders.purchase_order
   where account_id = $1 and completed_at >= $2 and completed_at < $3
`,
)

export const searchOrders = statement<Order>(
  'orders.searchOrders',
  `
  select ${COLUMNS} from orders.purchase_order
   where ($1::text is null or status = $1) and ($2::uuid is null or account_id = $2)
     and ($3::text is null or receiver_address = $3) and ($4::uuid is null or id < $4)
   order by id desc
   limit $5
`,
)

/** Paid orders that are not requested from delivery yet; old ones are stuck work. */
export const countPending = statement<{ count: bigint; energy: bigint; oldest: Date | null }>(
  'orders.countPending',
  `
  select count(*) as count, coalesce(sum(resource_amount), 0)::bigint as energy, min(updated_at) as oldest
    from orders.purchase_order where status = 'PENDING'
`,
)
