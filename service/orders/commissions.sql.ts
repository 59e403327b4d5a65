import { statement } from '../db/index.ts'

/** Rounded down; nothing where that leaves nothing. Once per order, whatever ends it again. */
export const insertCommissions = statement(
  'orders.insertCommissions',
  `
  insert into orders.commission (order_id, account_id, amount_sun, basis_points, created_at)
  select o.id, r.referrer, o.price_sun * t.basis_points / 10000, t.basis_points, $2
    from orders.purchase_order o
    join identity.referrers_of(array(select p.account_id from orders.purchase_order p where p.id = any ($1))) r
      on r.account = o.account_id
   cross join orders.referral_terms t
   where o.id = any ($1) and o.price_sun * t.basis_points >= 10000
      on conflict (order_id) do nothing
`,
)

export type CommissionRow = { order: string; account: string; amount: bigint }

/** The lock makes a second worker pass it over. */
export const lockUnpaid = statement<CommissionRow>(
  'orders.lockUnpaidCommissions',
  `
  select order_id as "order", account_id as account, amount_sun as amount
    from orders.commission
   where paid_at is null and order_id <> all ($2::uuid[])
   order by order_id
   limit $1
     for update skip locked
`,
)

export const markPaid = statement(
  'orders.markCommissionsPaid',
  `
  update orders.commission set paid_at = $2 where order_id = any ($1)
`,
)

export const readReferralTerms = statement<{ basisPoints: bigint }>(
  'orders.readReferralTerms',
  `
  select basis_points as "basisPoints" from orders.referral_terms
`,
)

export const writeReferralTerms = statement(
  'orders.writeReferralTerms',
  `
  update orders.referral_terms set basis_points = $1
`,
)

export const sumCommissions = statement<{ orders: bigint; amount: bigint }>(
  'orders.sumCommissions',
  `
  select count(*) as orders, coalesce(sum(amount_sun), 0)::bigint as amount
    from orders.commission where account_id = $1
`,
)
