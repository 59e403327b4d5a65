import { statement } from '../db/index.ts'

/** Rows that break an invariant; none when it holds. At most ten are shown. */
export type Broken = { broken: string }

/**
 * The limit is applied outside of the query. With a limit inside, the planner expects early matches and
 * chooses nested loops, but sound books have no matches.
 */
const broken = (name: string, text: string) =>
  statement<Broken>(
    `audit.${name}`,
    `with b as materialized (${text}) select row_to_json(b)::text as broken from b limit 10`,
  )

/** Movements of each account from its checkpoint on: numbered without a gap, each balance the one before plus the amount. */
export const brokenChains = broken(
  'brokenChains',
  `
  with touched as (
    select a.id, a.version, a.balance_sun, coalesce(c.version, 0) as from_version, coalesce(c.balance_sun, 0) as from_balance
      from ledger.account a left join audit.checkpoint c on c.account_id = a.id
     where a.version <> coalesce(c.version, 0) or a.balance_sun <> coalesce(c.balance_sun, 0)
  ), walked as (
    select t.id as account_id, m.version, m.balance_after_sun,
           t.from_version + row_number() over w as expected_version,
           t.from_balance + sum(case when m.credit = 'client' then m.amount_sun else -m.amount_sun end) over w as expected_balance
      from touched t join ledger.movement m on m.client_id = t.id and m.version > t.from_version
    window w as (partition by t.id order by m.version)
  )
  select account_id, version, balance_after_sun, expected_version, expected_balance
    from walked where version <> expected_version or balance_after_sun <> expected_balance
  union all
  select t.id, t.version, t.balance_sun, coalesce(last.version, t.from_version), coalesce(last.balance_after_sun, t.from_balance)
    from touched t
    left join lateral (select m.version, m.balance_after_sun from ledger.movement m
                        where m.client_id = t.id order by m.version desc limit 1) last on true
   where (t.version, t.balance_sun) is distinct from (coalesce(last.version, 0), coalesce(last.balance_after_sun, 0))`,
)

export const brokenTotals = broken(
  'brokenTotals',
  `
  select * from (
    select (select coalesce(sum(balance_sun), 0) from ledger.account) as balances,
           (select coalesce(sum(case when credit = 'client' then amount_sun else -amount_sun end), 0)
              from ledger.movement where client_id is not null) as movements) t
   where balances <> movements`,
)

export const brokenSigns = broken(
  'brokenSigns',
  `
  select id, balance_sun, overdrawn from ledger.account a
   where balance_sun < 0
     and not exists (select from ledger.movement m join ledger.kind k on k.name = m.kind and k.may_overdraw
                      where m.client_id = a.id)`,
)

export const brokenEnds = broken(
  'brokenEnds',
  `
  select o.id, o.status, array_agg(m.kind) filter (where m.kind is not null) as ends
    from orders.purchase_order o
    left join ledger.movement m on m.reference_id = o.id::text and m.kind in ('deliver', 'refund')
   where exists (select from ledger.movement p where p.kind in ('purchase', 'agent_charge') and p.reference_id = o.id::text)
   group by o.id, o.status
  having case o.status when 'COMPLETED' then array_agg(m.kind) filter (where m.kind is not null) is distinct from array['deliver']
                       when 'FAILED' then array_agg(m.kind) filter (where m.kind is not null) is distinct from array['refund']
                       else count(m.kind) > 0 end`,
)

export const brokenEscrow = broken(
  'brokenEscrow',
  `
  select * from (
    select (select coalesce(sum(case when credit = 'escrow:orders' then amount_sun else -amount_sun end), 0)
              from ledger.movement where 'escrow:orders' in (debit, credit)) as escrow,
           (select coalesce(sum(o.price_sun), 0) from orders.purchase_order o
             where o.status in ('PENDING', 'PROCESSING')) as open_orders) t
   where escrow <> open_orders`,
)

export const brokenRefunds = broken(
  'brokenRefunds',
  `
  select r.reference_id, r.amount_sun, p.amount_sun as charged, r.client_id, p.client_id as payer
    from ledger.movement r
    left join ledger.movement p on p.reference_id = r.reference_id and p.debit = 'client'
   where r.kind = 'refund' and (p.amount_sun, p.client_id) is distinct from (r.amount_sun, r.client_id)`,
)

export const brokenDeposits = broken(
  'brokenDeposits',
  `
  select d.id, d.txid, d.posted, d.amount_sun, m.amount_sun as movement
    from deposits.deposit d
    left join ledger.movement m
           on m.kind = d.kind
          and m.reference_id = case when d.position = 0 then d.txid else d.txid || ':' || d.position end
    left join ledger.movement r on r.kind = d.kind || '_reversal' and r.reference_id = m.reference_id
   where d.posted <> (m.id is not null and r.id is null)
      or (m.id is not null and (m.amount_sun, m.client_id) is distinct from (d.amount_sun, d.account_id))`,
)

/** Charges of AutoEnergy and of the ledger match one to one, and the counters equal their sums. */
export const brokenCharges = broken(
  'brokenCharges',
  `
  select c.id::text as what, c.kind, c.reference, c.amount_sun, m.amount_sun as movement
    from autoenergy.charge c
    left join ledger.movement m
           on m.reference_id = c.reference and m.client_id = c.account_id
          and m.kind = case when c.amount_sun > 0 then c.kind else 'refund' end
   where m.amount_sun is distinct from abs(c.amount_sun)
  union all
  select m.id::text, m.kind, m.reference_id, null, m.amount_sun
    from ledger.movement m
   where m.kind like 'autoenergy%'
     and not exists (select from autoenergy.charge c where c.kind = m.kind and c.reference = m.reference_id)
  union all
  select s.id::text, 'tx_used_total', s.address, s.tx_used_total, coalesce(sum(sign(c.amount_sun))::bigint, 0)
    from autoenergy.subscription s
    left join autoenergy.charge c on c.subscription_id = s.id and c.activation = s.activation and c.counted
   group by s.id having s.tx_used_total <> coalesce(sum(sign(c.amount_sun)), 0)`,
)

export const brokenCloses = broken(
  'brokenCloses',
  `
  select s.id, s.closed_at, c.kind, c.reference, c.at
    from autoenergy.subscription s
    join autoenergy.charge c on c.subscription_id = s.id and c.activation = s.activation
   where s.status = 'closed' and c.amount_sun > 0 and c.at > s.closed_at`,
)

export const brokenReserves = broken(
  'brokenReserves',
  `
  select a.id, a.reserved_sun, coalesce(sum(s.reserved_sun), 0) as of_subscriptions
    from ledger.account a left join autoenergy.subscription s on s.account_id = a.id
   group by a.id having a.reserved_sun <> coalesce(sum(s.reserved_sun), 0)`,
)

export const brokenClaims = broken(
  'brokenClaims',
  `
  select o.id, o.resource_amount, o.delegation_txids
    from orders.purchase_order o
   where o.status = 'COMPLETED'
     and o.resource_amount > (select coalesce(sum(d.energy), 0) from delivery.delegation d
                               join delivery.attempt a on a.id = d.attempt_id
                               join delivery.part p on p.id = a.part_id
                              where p.request_id = o.id and d.txid = any (o.delegation_txids))`,
)

export const brokenEvents = broken(
  'brokenEvents',
  `
  select o.id, o.status, count(e.id) as events
    from orders.purchase_order o
    left join events.event e on e.type = 'order.status_changed' and e.subject = o.id::text
   where o.status in ('COMPLETED', 'FAILED')
   group by o.id, o.status having count(e.id) <> 1
  union all
  select m.id, m.kind, count(e.id)
    from ledger.movement m
    left join events.event e on e.type = 'balance.changed' and e.subject = m.id::text
   where m.client_id is not null
   group by m.id, m.kind having count(e.id) <> 1`,
)

/** Payouts without a debit of a balance, and debits without a payout. */
export const brokenPayouts = broken(
  'brokenPayouts',
  `
  select p.id::text as what, p.state, p.amount_sun, m.amount_sun as movement
    from deposits.payout p
    left join ledger.movement m on m.kind = 'payout' and m.reference_id = p.id::text
   where p.state in ('approved', 'paid')
     and (m.amount_sun, m.client_id) is distinct from (p.amount_sun, p.account_id)
  union all
  select m.id::text, m.kind, null, m.amount_sun
    from ledger.movement m
   where m.kind = 'payout' and not exists (select from deposits.payout p where p.id::text = m.reference_id)`,
)

/** Agent payments whose charge, refund or compensation differs from the ledger. */
export const brokenPayments = broken(
  'brokenPayments',
  `
  select p.id, p.status, p.cost_sun, c.amount_sun as charged, r.amount_sun as refunded, a.amount_sun as adjusted
    from agent.payment p
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
      or p.units > 0 and not exists (
           select from agent.config_version v
            where v.config_id = p.config_id and v.valid_from < p.block_time
              and least(p.amount_sun / v.base_payment_sun, v.max_units) = p.units
              and v.base_payment_sun = coalesce(p.base_payment_sun, v.base_payment_sun)
              and v.energy_per_unit = coalesce(p.energy_per_unit, v.energy_per_unit))`,
)

/** Clients whose charges for sales in the ledger differ from the sum of their payments. */
export const brokenSales = broken(
  'brokenSales',
  `
  select coalesce(l.account_id, p.account_id) as account_id, l.charged, p.cost
    from (select m.client_id as account_id,
                 sum(case when m.kind = 'agent_charge' then m.amount_sun else -m.amount_sun end) as charged
            from ledger.movement m
           where m.kind = 'agent_charge'
              or m.kind = 'refund' and exists (select from ledger.movement c
                   where c.kind = 'agent_charge' and c.reference_id = m.reference_id)
           group by m.client_id) l
    full join (select account_id, sum(cost_sun) as cost from agent.payment
                where status in ('delivering', 'completed') group by account_id) p
           on p.account_id = l.account_id
   where coalesce(l.charged, 0) <> coalesce(p.cost, 0)`,
)

export const brokenKeys = broken(
  'brokenKeys',
  `
  select k.account_id, k.key, k.order_id from orders.idempotency_key k
    left join orders.purchase_order o on o.id = k.order_id and o.account_id = k.account_id
   where o.id is null or k.response not like '%' || o.id || '%'`,
)

export const brokenNumbers = broken(
  'brokenNumbers',
  `
  select account_id, count(*) as orders, max(number) as highest from orders.purchase_order
   group by account_id having count(*) <> max(number)`,
)
