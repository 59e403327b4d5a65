import { statement } from '../db/index.ts'
import type { SettledRow } from './store.ts'

export type CreditedRow = SettledRow & {
  /** Given back before, in SUN. */
  before: bigint
}

/** Completed orders with what was given back of their price before. */
export const lockCompleted = statement<CreditedRow>(
  'orders.lockCompleted',
  `
  select o.id, o.account_id as account, o.resource_amount as amount, o.receiver_address as receiver,
         o.price_sun as price, o.source, o.trace,
         (select coalesce(sum(c.amount_sun), 0) from orders.reclaim_credit c where c.order_id = o.id)::bigint as before
    from orders.purchase_order o
   where o.id = any ($1) and o.status = 'COMPLETED'
   order by o.id
     for update of o
`,
)

export const insertCredits = statement(
  'orders.insertCredits',
  `
  insert into orders.reclaim_credit (order_id, reclaim_txid, provider, energy, seconds_missing, amount_sun, reclaimed_at)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::timestamptz[])
`,
)

export type ReclaimCredit = {
  txid: string
  provider: string
  energy: bigint
  seconds: bigint
  amount: bigint
  at: Date
}

export const readCredits = statement<ReclaimCredit>(
  'orders.readCredits',
  `
  select reclaim_txid as txid, provider, energy, seconds_missing as seconds, amount_sun as amount, reclaimed_at as at
    from orders.reclaim_credit where order_id = $1 order by reclaimed_at, reclaim_txid
`,
)
