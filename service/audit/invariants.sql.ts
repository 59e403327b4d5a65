import { idAt } from '../db/index.ts'
import { check, passCheck } from './prove.sql.ts'

// Each check looks at the rows of one slice `s` and finds what belongs to them by unique keys, so its cost does
// not grow with the service. Sums over all rows follow: every row fits the row before it or its counterpart.

/** A reference of the ledger as an id of ours; null when it is something else, such as a txid. */
const uuidOf = (text: string) =>
  `(case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${text}::uuid end)`

/** Each movement of a client follows the one before it, without a gap. */
export const chains = check(
  'chains',
  'movement',
  `
  select s.client_id as account_id, s.version, s.amount_sun, s.balance_after_sun, p.balance_after_sun as balance_before
    from s left join ledger.movement p on p.client_id = s.client_id and p.version = s.version - 1
   where s.client_id is not null
     and ((p.id is null) <> (s.version = 1)
          or s.balance_after_sun <> coalesce(p.balance_after_sun, 0)
               + case when s.credit = 'client' then s.amount_sun else -s.amount_sun end)`,
)

/** The account says what its last movement says. */
const unlikeLast = (accounts: string) => `
  select c.id, a.version, a.balance_sun, l.version as last_version, l.balance_after_sun
    from (${accounts}) c
    left join ledger.account a on a.id = c.id
    left join lateral (select m.version, m.balance_after_sun from ledger.movement m
                        where m.client_id = c.id order by m.version desc limit 1) l on true
   where a.id is null
      or (a.version, a.balance_sun) <> (coalesce(l.version, 0), coalesce(l.balance_after_sun, 0))`

export const balances = check(
  'balances',
  'movement',
  unlikeLast('select distinct s.client_id as id from s where s.client_id is not null'),
)
export const allBalances = passCheck('allBalances', 'account', unlikeLast('select s.id from s'))

export const signs = check(
  'signs',
  'movement',
  `
  select s.client_id as account_id, s.version, s.kind, s.balance_after_sun
    from s join ledger.kind k on k.name = s.kind
   where s.debit = 'client' and s.balance_after_sun < 0 and not k.may_overdraw`,
)

export const ends = check(
  'ends',
  'order',
  `
  select o.id, o.status, o.ends
    from (select s.id, s.status,
                 (select array_agg(m.kind) from ledger.movement m
                   where m.kind in ('deliver', 'refund') and m.reference_id = s.id::text) as ends
            from s
           where exists (select from ledger.movement p
                          where p.kind in ('purchase', 'agent_charge') and p.reference_id = s.id::text)) o
   where o.ends is distinct from
         case o.status when 'COMPLETED' then array['deliver'] when 'FAILED' then array['refund'] end`,
)

/** What escrow holds for an order is its price while it is under way, and nothing before and after. */
const wrongEscrow = (orders: string) => `
  select e.* from (
    select o.id, o.status, o.price_sun,
           (select coalesce(sum(case when m.credit = 'escrow:orders' then m.amount_sun else -m.amount_sun end), 0)
              from ledger.movement m
             where m.kind in ('purchase', 'agent_charge', 'deliver', 'refund') and m.reference_id = o.id::text
               and 'escrow:orders' in (m.debit, m.credit)) as escrow
      from (${orders}) o) e
   where e.escrow <> case when e.status in ('PENDING', 'PROCESSING') then e.price_sun else 0 end`

export const escrow = check(
  'escrow',
  'order',
  wrongEscrow('select s.id, s.status, s.price_sun from s'),
)
export const escrowMoves = check(
  'escrowMoves',
  'movement',
  `
  with moves as (
    select s.id, s.kind, s.reference_id, ${uuidOf('s.reference_id')} as order_id, s.amount_sun
      from s where 'escrow:orders' in (s.debit, s.credit)
  )
  select m.id::text as what, m.kind as status, m.amount_sun as price_sun, null::numeric as escrow
    from moves m left join orders.purchase_order o on o.id = m.order_id
   where o.id is null or m.kind not in ('purchase', 'agent_charge', 'deliver', 'refund')
  union all
  select w.id::text, w.status, w.price_sun, w.escrow
    from (${wrongEscrow(`select o.id, o.status, o.price_sun from orders.purchase_order o
                          where o.id in (select m.order_id from moves m)`)}) w`,
)

export const refunds = check(
  'refunds',
  'movement',
  `
  select s.reference_id, s.amount_sun, p.amount_sun as charged, s.client_id, p.client_id as payer
    from s
    left join lateral (select m.amount_sun, m.client_id from ledger.kind k
                        join ledger.movement m on m.kind = k.name and m.reference_id = s.reference_id
                       where m.debit = 'client') p on true
   where s.kind = 'refund' and (p.amount_sun, p.client_id) is distinct from (s.amount_sun, s.client_id)`,
)

export const deposits = check(
  'deposits',
  'deposit',
  `
  select d.id, d.txid, d.posted, d.amount_sun, m.amount_sun as movement
    from (select s.*, case when s.position = 0 then s.txid else s.txid || ':' || s.position end as reference from s) d
    left join ledger.movement m on m.kind = d.kind and m.reference_id = d.reference
    left join ledger.movement r on r.kind = d.kind || '_reversal' and r.reference_id = d.reference
   where d.posted <> (m.id is not null and r.id is null)
      or (m.id is not null and (m.amount_sun, m.client_id) is distinct from (d.amount_sun, d.account_id))`,
)

export const claims = check(
  'claims',
  'order',
  `
  select s.id, s.resource_amount, s.delegation_txids
    from s
   where s.status = 'COMPLETED'
     and s.resource_amount > (select coalesce(sum(d.energy), 0) from delivery.delegation d
                               join delivery.attempt a on a.id = d.attempt_id
                               join delivery.part p on p.id = a.part_id
                              where d.txid = any (s.delegation_txids) and p.request_id = s.id)`,
)

/** Charges of AutoEnergy and of the ledger match one to one, and the counters equal their sums. */
export const charges = check(
  'charges',
  'charge',
  `
  select s.id, s.kind, s.reference, s.amount_sun, m.amount_sun as movement
    from s
    left join ledger.movement m
           on m.reference_id = s.reference and m.client_id = s.account_id
          and m.kind = case when s.amount_sun > 0 then s.kind else 'refund' end
   where m.amount_sun is distinct from abs(s.amount_sun)`,
)
export const chargesBooked = check(
  'chargesBooked',
  'movement',
  `
  select s.id, s.kind, s.reference_id, s.amount_sun
    from s
   where s.kind like 'autoenergy%'
     and not exists (select from autoenergy.charge c
                      where c.kind = s.kind and c.reference = s.reference_id and c.amount_sun > 0)`,
)

const wrongCounters = (subscriptions: string) => `
  select u.id, u.address, u.tx_used_total, coalesce(sum(sign(c.amount_sun))::bigint, 0) as counted
    from autoenergy.subscription u
    left join autoenergy.charge c on c.subscription_id = u.id and c.activation = u.activation and c.counted
   where u.id in (${subscriptions})
   group by u.id having u.tx_used_total <> coalesce(sum(sign(c.amount_sun)), 0)`

export const counters = check(
  'counters',
  'charge',
  wrongCounters('select s.subscription_id from s'),
)
export const allCounters = passCheck(
  'allCounters',
  'subscription',
  wrongCounters('select s.id from s'),
)

const chargedAfterClose = (charged: string, subscriptions: string) => `
  select u.id, u.closed_at, c.kind, c.reference, c.at
    from ${subscriptions} u
    join ${charged} c on c.subscription_id = u.id and c.activation = u.activation
   where u.status = 'closed' and c.amount_sun > 0 and c.at > u.closed_at`

export const closes = check('closes', 'charge', chargedAfterClose('s', 'autoenergy.subscription'))
export const allCloses = passCheck(
  'allCloses',
  'subscription',
  chargedAfterClose('autoenergy.charge', 's'),
)

/** Agent payments whose charge, refund or compensation differs from the ledger. */
export const payments = check(
  'payments',
  'payment',
  `
  select p.id, p.status, p.cost_sun, c.amount_sun as charged, r.amount_sun as refunded, a.amount_sun as adjusted
    from s p
    left join ledger.movement c on c.kind = 'agent_charge' and c.reference_id = p.order_id::text
    left join ledger.movement r on r.kind = 'refund' and r.reference_id = p.order_id::text
    left join ledger.movement a on a.kind = 'adjustment' and a.reference_id = p.id::text
   where (p.cost_sun is not null, p.account_id) is distinct from (c.id is not null, coalesce(c.client_id, p.account_id))
      or c.amount_sun <> p.cost_sun
      or (p.status = 'failed') <> (r.id is not null)
      or p.compensated <> (a.id is not null)
      or a.amount_sun <> p.cost_sun
      or p.compensated and not (p.orphaned and p.status = 'completed')
      or p.energy <> 0 and p.energy <> p.units * p.energy_per_unit
      or p.units > 0 and p.block_time > (select t.versions_since + interval '1 hour' from agent.terms t) and not exists (
           select from agent.config_version v
            where v.config_id = p.config_id and v.valid_from < p.block_time
              and least(p.amount_sun / v.base_payment_sun, v.max_units) = p.units
              and v.base_payment_sun = coalesce(p.base_payment_sun, v.base_payment_sun)
              and v.energy_per_unit = coalesce(p.energy_per_unit, v.energy_per_unit))`,
)

/** Charges for sales without a payment of that cost, and refunds of a sale that did not fail. */
export const sales = check(
  'sales',
  'movement',
  `
  select m.id, m.kind, m.reference_id, m.amount_sun, p.status, p.cost_sun
    from (select s.*, ${uuidOf('s.reference_id')} as order_id from s where s.kind in ('agent_charge', 'refund')) m
    left join agent.payment p on p.order_id = m.order_id
   where m.kind = 'agent_charge'
         and (p.account_id, p.cost_sun) is distinct from (m.client_id, m.amount_sun)
      or m.kind = 'refund' and p.status <> 'failed'`,
)

export const keys = check(
  'keys',
  'key',
  `
  select s.account_id, s.key, s.order_id
    from s left join orders.purchase_order o on o.id = s.order_id and o.account_id = s.account_id
   where o.id is null or s.response not like '%' || o.id || '%'`,
)

/**
 * Subjects without exactly one event. Events have no index by subject: those whose ids are of about the same
 * time are read, and only for a subject that has none among them all events of the days around it. Subjects
 * older than the events that are kept have none.
 */
const withoutEvent = (type: string, subjects: string) => `
  with r as materialized (
    select * from (${subjects}) r where r.at >= (select events.kept_since())),
  span as materialized (select min(r.at) - interval '1 minute' as first, max(r.at) + interval '10 minutes' as last from r),
  missing as materialized (
    select u.subject, max(u.state) as state, max(u.at) as at
      from (select r.subject, r.state, r.at, 0 as events from r
            union all
            select e.subject, null, null, 1 from events.event e
             where e.type = '${type}'
               and e.id >= (select ${idAt('span.first')} from span) and e.id <= (select ${idAt('span.last')} from span)
               and e.created_at >= (select span.first - interval '1 day' from span)
               and e.created_at <= (select span.last + interval '1 day' from span)) u
     group by u.subject having max(u.state) is not null and sum(u.events) <> 1
     limit 10),
  counted as materialized (
    select m.subject, m.state,
           (select count(*) from events.event e
             where e.type = '${type}' and e.subject = m.subject
               and e.created_at between m.at - interval '1 day' and m.at + interval '1 day') as events
      from missing m)
  select c.subject, c.state, c.events from counted c where c.events <> 1`

export const orderEvents = check(
  'orderEvents',
  'order',
  withoutEvent(
    'order.status_changed',
    `select s.id::text as subject, s.status as state, s.updated_at as at from s where s.status in ('COMPLETED', 'FAILED')`,
  ),
)
export const balanceEvents = check(
  'balanceEvents',
  'movement',
  withoutEvent(
    'balance.changed',
    `select s.id::text as subject, s.kind as state, s.created_at as at from s where s.client_id is not null`,
  ),
)

export const numbers = check(
  'numbers',
  'order',
  `
  select s.account_id, s.id, s.number
    from s left join orders.purchase_order p on p.account_id = s.account_id and p.number = s.number - 1
   where (p.id is null) <> (s.number = 1)`,
)

const wrongReserves = (accounts: string) => `
  select a.id, a.reserved_sun, coalesce(sum(u.reserved_sun), 0) as of_subscriptions
    from ledger.account a left join autoenergy.subscription u on u.account_id = a.id
   where a.id in (${accounts})
   group by a.id having a.reserved_sun <> coalesce(sum(u.reserved_sun), 0)`

export const reserves = check(
  'reserves',
  'liveSubscription',
  wrongReserves('select s.account_id from s'),
)
export const allReserves = passCheck('allReserves', 'account', wrongReserves('select s.id from s'))

/** Credits for Energy that was taken back early: each is booked, for a completed order, and together no more than its price. */
export const credits = check(
  'credits',
  'movement',
  `
  select m.id, m.reference_id, m.amount_sun, c.amount_sun as credited, o.status, o.price_sun
    from (select s.*, ${uuidOf("split_part(s.reference_id, ':', 1)")} as order_id,
                 split_part(s.reference_id, ':', 2) as txid
            from s where s.kind = 'reclaim_credit') m
    left join orders.purchase_order o on o.id = m.order_id
    left join orders.reclaim_credit c on c.order_id = m.order_id and c.reclaim_txid = m.txid
   where (c.amount_sun, o.status, o.account_id) is distinct from (m.amount_sun, 'COMPLETED', m.client_id)
      or (select sum(r.amount_sun) from orders.reclaim_credit r where r.order_id = o.id) > o.price_sun`,
)

/** Payouts without a debit of a balance, and debits without a payout. */
export const payouts = check(
  'payouts',
  'payout',
  `
  select s.id, s.state, s.amount_sun, m.amount_sun as movement
    from s left join ledger.movement m on m.kind = 'payout' and m.reference_id = s.id::text
   where s.state in ('approved', 'paid')
     and (m.amount_sun, m.client_id) is distinct from (s.amount_sun, s.account_id)`,
)
export const payoutsBooked = check(
  'payoutsBooked',
  'movement',
  `
  select s.id, s.kind, s.reference_id, s.amount_sun
    from s left join deposits.payout p on p.id = ${uuidOf('s.reference_id')}
   where s.kind = 'payout' and p.id is null`,
)
