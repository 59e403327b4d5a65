import { idAt, statement } from '../db/index.ts'
import type { Order, OrderStatus } from './order.ts'

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

export type RecentRow = Pick<Order, 'account' | 'id' | 'status'>

/** The newest orders of each account, as they stand. */
export const recentStates = statement<RecentRow>(
  'orders.recentStates',
  `
  select a.id as account, o.id, o.status
    from unnest($1::uuid[]) as a(id)
   cross join lateral (select p.id, p.status from orders.purchase_order p
                        where p.account_id = a.id order by p.number desc limit $2) o
`,
)

export type OutcomeDay = {
  day: string
  energy: bigint
  completed: bigint
  failed: bigint
  /** From the payment to the delegation, on average; null where none was completed. */
  seconds: number | null
}

/** Reads at most $3 orders: an account with more in a fortnight gets the newest. */
export const outcomesByDay = statement<OutcomeDay>(
  'orders.outcomesByDay',
  `
  select to_char(o.ended_at at time zone 'UTC', 'YYYY-MM-DD') as day,
         coalesce(sum(o.resource_amount) filter (where o.status = 'COMPLETED'), 0)::bigint as energy,
         count(*) filter (where o.status = 'COMPLETED') as completed,
         count(*) filter (where o.status = 'FAILED') as failed,
         avg(extract(epoch from o.completed_at - case
               when o.source = 'checkout' then (select c.paid_at from orders.checkout c where c.order_id = o.id)
               else o.created_at end))::float8 as seconds
    from (select id, status, source, resource_amount, created_at, completed_at,
                 coalesce(completed_at, updated_at) as ended_at
            from orders.purchase_order
           where account_id = $1 order by number desc limit $3) o
   where o.ended_at >= $2 and o.status in ('COMPLETED', 'FAILED')
   group by 1
`,
)

export type FoundRow = { total: bigint; energy: bigint; spent: bigint; numbers: string[] }

/** Looks through the newest $9 orders of an account; their sums are of those that were completed. */
export const findOwn = statement<FoundRow>(
  'orders.findOwn',
  `
  select count(*) as total,
         coalesce(sum(o.resource_amount) filter (where o.status = 'COMPLETED'), 0)::bigint as energy,
         coalesce(sum(o.price_sun) filter (where o.status = 'COMPLETED'), 0)::bigint as spent,
         coalesce((array_agg(o.number order by o.number desc))[$7::int + 1 : $7::int + $8::int], '{}')::text[] as numbers
    from (select number, status, source, resource_amount, price_sun, receiver_address, buyer_address, created_at
            from orders.purchase_order where account_id = $1 order by number desc limit $9) o
   where ($2::text is null or o.status = $2) and ($3::text is null or o.source = $3)
     and ($4::timestamptz is null or o.created_at >= $4) and ($5::timestamptz is null or o.created_at < $5)
     and ($6::text is null or position($6 in lower(o.receiver_address)) > 0 or position($6 in lower(o.buyer_address)) > 0)
`,
)

export type SalesHour = { hour: number; energy: bigint; revenue: bigint }

/** Completed orders of all accounts by hour of the day, UTC. Reads at most the $2 newest since $1. */
export const salesByHour = statement<SalesHour>(
  'orders.salesByHour',
  `
  select extract(hour from o.created_at at time zone 'UTC')::int as hour,
         sum(o.resource_amount)::bigint as energy, sum(o.price_sun)::bigint as revenue
    from (select created_at, resource_amount, price_sun, status from orders.purchase_order
           where id >= ${idAt('$1::timestamptz')} order by id desc limit $2) o
   where o.status = 'COMPLETED'
   group by 1
`,
)

export type SaleRow = { id: string; account: string; at: Date; energy: bigint; price: bigint }

/** Completed orders of all accounts after the order $1, that were made from $2 until $3, the oldest first. */
export const listSales = statement<SaleRow>(
  'orders.listSales',
  `
  select id, account_id as account, created_at as at, resource_amount as energy, price_sun as price
    from orders.purchase_order
   where id > coalesce($1, ${idAt('$2::timestamptz')}) and id < ${idAt('$3::timestamptz')} and status = 'COMPLETED'
   order by id
   limit $4
`,
)

/** Accounts that ordered from $1 until $2. */
export const listBuyers = statement<{ account: string }>(
  'orders.listBuyers',
  `
  select distinct account_id as account from orders.purchase_order
   where id >= ${idAt('$1::timestamptz')} and id < ${idAt('$2::timestamptz')}
`,
)

export const searchOrders = statement<Order>(
  'orders.searchOrders',
  `
  select ${COLUMNS} from orders.purchase_order
   where ($1::text is null or status = $1) and ($2::uuid is null or account_id = $2)
     and ($3::uuid is null or id < $3)
   order by id desc
   limit $4
`,
)

/**
 * Orders to one receiver: by the pairs, and of the newest $6 orders, which may not be filed yet. An index of all
 * orders by receiver would cost every purchase.
 */
export const searchByReceiver = statement<Order>(
  'orders.searchByReceiver',
  `
  select ${COLUMNS} from orders.purchase_order
   where id in (
           select f.id from orders.pair p
            cross join lateral (
                  select o.id from orders.filed_order d
                    join orders.purchase_order o on o.account_id = d.account_id and o.number = d.number
                   where d.account_id = p.account_id and d.pair = p.first_number
                     and ($1::text is null or o.status = $1) and ($4::uuid is null or o.id < $4)
                   order by d.number desc limit $5) f
            where p.receiver_address = $3
           union
           select n.id
             from (select o.id, o.receiver_address from orders.purchase_order o
                    where o.id < coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                    order by o.id desc limit $6) n
            where n.receiver_address = $3)
     and ($1::text is null or status = $1) and ($2::uuid is null or account_id = $2)
   order by id desc
   limit $5
`,
)

/** Orders that were made since a time, by status. */
export const countSince = statement<{ status: OrderStatus; count: bigint }>(
  'orders.countSince',
  `
  select status, count(*) as count from orders.purchase_order where id >= ${idAt('$1::timestamptz')} group by status
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
