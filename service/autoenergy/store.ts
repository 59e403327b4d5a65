import { statement } from '../db/index.ts'
import type { CoveredCall, EnergyClass } from './coveredCall.ts'
import type { Subscription } from './subscription.ts'

const COLUMNS = `
  id, account_id as account, address, status, plan_name as "planName", activation_fee_sun as "activationFee",
  daily_sub_sun as "dailyFee", unit_price_65k_sun as "unit65k", unit_price_131k_sun as "unit131k",
  term_days as "termDays", idle_hours as "idleHours", quota_max_tx as quota, activation,
  days_charged as "daysCharged", tx_used_total as used, reserved_sun as reserved, requested_at as "requestedAt",
  activated_at as "activatedAt", paid_at_request as "paidAtRequest", paid_until as "paidUntil",
  expire_at as "expireAt", last_activity_at as "lastActivityAt", closed_at as "closedAt",
  close_reason as "closeReason", live, proven, deleted_at as "deletedAt", created_at as "createdAt"`

/** Returns no row when the address is covered already, or this account has a subscription for it. */
export const insertSubscription = statement<Subscription>(
  'autoenergy.insertSubscription',
  `
  insert into autoenergy.subscription
    (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun,
     unit_price_131k_sun, term_days, idle_hours, quota_max_tx, reserved_sun, requested_at, created_at, proven)
  values ($1, $2, $3, 'pending_activation', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14)
  on conflict do nothing
  returning ${COLUMNS}
`,
)

/** Subscriptions that prevent a new one: the address's cover, or one of the same account. */
export const findConflicts = statement<Subscription>(
  'autoenergy.findConflicts',
  `
  select ${COLUMNS} from autoenergy.subscription
   where address = $1 and (live or (account_id = $2 and deleted_at is null))
   order by created_at desc
`,
)

/** A lock that foreign keys and facts of blocks do not wait for. */
export const lockSubscription = statement<Subscription>(
  'autoenergy.lockSubscription',
  `
  select ${COLUMNS} from autoenergy.subscription where id = $1 for no key update
`,
)

export const findSubscription = statement<Subscription>(
  'autoenergy.findSubscription',
  `
  select ${COLUMNS} from autoenergy.subscription
   where account_id = $1 and address = $2 and deleted_at is null
`,
)

export const saveSubscription = statement(
  'autoenergy.saveSubscription',
  `
  update autoenergy.subscription
     set status = $2, activation = $3, days_charged = $4, tx_used_total = $5, reserved_sun = $6, requested_at = $7,
         activated_at = $8, paid_at_request = $9, paid_until = $10, expire_at = $11, last_activity_at = $12,
         closed_at = $13, close_reason = $14, live = $15, due_at = $16
   where id = $1
`,
)

/** A reactivation uses the current plan. */
export const renewPlan = statement(
  'autoenergy.renewPlan',
  `
  update autoenergy.subscription
     set activation_fee_sun = $2, daily_sub_sun = $3, unit_price_65k_sun = $4, unit_price_131k_sun = $5, term_days = $6,
         proven = proven or $7
   where id = $1
`,
)

export const deleteSubscriptionRow = statement(
  'autoenergy.deleteSubscriptionRow',
  `
  update autoenergy.subscription set deleted_at = $2 where id = $1
`,
)

/**
 * Subscriptions to settle. Those with undecided calls, pending ones and closed ones are read in the order
 * of their ids, at most $2 with an id after $4, so that one client with many cannot delay the others.
 */
export const subscriptionsToSettle = statement<{ id: string; inTurn: boolean }>(
  'autoenergy.subscriptionsToSettle',
  `
  select id, bool_or(in_turn) as "inTurn" from (
    (select distinct subscription_id as id, true as in_turn from autoenergy.call
      where state = 'seen' and block_number is not null and subscription_id > $4 order by subscription_id limit $2)
    union all
    (select id, true from autoenergy.subscription
      where (status = 'pending_activation' or (status = 'closed' and live)) and id > $4 order by id limit $2)
    union all
    (select id, false from autoenergy.subscription where due_at <= $1 order by due_at limit $2)
    union all
    (select id, false from autoenergy.subscription where address = any ($3) and status = 'active')
  ) s group by id order by id
`,
)

export const insertCalls = statement<{ txid: string }>(
  'autoenergy.insertCalls',
  `
  insert into autoenergy.call as c
    (txid, subscription_id, account_id, address, block_number, block_time, position, result, energy, energy_usage,
     burned_sun, fee_limit_sun, expires_at, state)
  select g.txid, s.id, s.account_id, s.address, $10, $11, g.position, g.result, g.energy, g.usage, g.burned, g.fee_limit,
         g.expires, 'seen'
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::timestamptz[])
         as g(txid, address, position, result, energy, usage, burned, fee_limit, expires)
    join autoenergy.subscription s on s.address = g.address and s.live
   order by g.txid
  on conflict (txid) do nothing
  returning c.txid
`,
)

/**
 * Calls whose block was orphaned and that are in a new block. On the new branch they may have used
 * other Energy: undecided calls take the new receipt.
 */
export const returnCalls = statement<{ txid: string }>(
  'autoenergy.returnCalls',
  `
  update autoenergy.call c
     set block_number = $2, block_time = $3, position = g.position,
         result = case when c.state = 'seen' then g.result else c.result end,
         energy = case when c.state = 'seen' then g.energy else c.energy end,
         energy_usage = case when c.state = 'seen' then g.usage else c.energy_usage end,
         burned_sun = case when c.state = 'seen' then g.burned else c.burned_sun end
    from unnest($1::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
         as g(txid, position, result, energy, usage, burned)
   where c.txid = g.txid
     and c.txid in (select o.txid from autoenergy.call o
                     where o.txid = any ($1) and o.block_number is null and not o.final order by o.txid for update)
  returning c.txid
`,
)

export const orphanCalls = statement<{ txid: string }>(
  'autoenergy.orphanCalls',
  `
  update autoenergy.call c set block_number = null
   where c.txid in (select o.txid from autoenergy.call o
                     where o.block_number = $1 and not o.final order by o.txid for update)
  returning c.txid
`,
)

const CALL = `txid, block_number as block, block_time as time, position, result, energy, burned_sun as burned,
  fee_limit_sun as "feeLimit"`

export const lockSeenCalls = statement<CoveredCall>(
  'autoenergy.lockSeenCalls',
  `
  select ${CALL} from autoenergy.call
   where subscription_id = $1 and state = 'seen' and block_number is not null
   order by txid
     for update
`,
)

export type OwedRow = { txid: string; price: bigint; energyClass: EnergyClass }

export const lockOwedCalls = statement<OwedRow>(
  'autoenergy.lockOwedCalls',
  `
  select txid, billed_sun as price, energy_class as "energyClass" from autoenergy.call
   where account_id = $1 and address = $2 and state = 'owed'
   order by txid
     for update
`,
)

/** `billed_sun` of an owed call is its price, not charged yet. */
export const decideCalls = statement(
  'autoenergy.decideCalls',
  `
  update autoenergy.call c
     set state = g.state, energy_class = g.class, billed_sun = g.billed, burn_cost_sun = g.burn_cost,
         subscription_id = $6, activation = $7
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as g(txid, state, class, billed, burn_cost)
   where c.txid = g.txid
`,
)

export const payOwedCalls = statement(
  'autoenergy.payOwedCalls',
  `
  update autoenergy.call set state = 'billed', subscription_id = $2, activation = $3 where txid = any ($1)
`,
)

export const insertCharges = statement(
  'autoenergy.insertCharges',
  `
  insert into autoenergy.charge
    (id, subscription_id, account_id, kind, reference, activation, amount_sun, counted, at, created_at)
  select g.id, $2, $3, g.kind, g.reference, $4, g.amount, g.counted, g.at, $5
    from unnest($1::uuid[], $6::text[], $7::text[], $8::bigint[], $9::boolean[], $10::timestamptz[])
         as g(id, kind, reference, amount, counted, at)
`,
)

export type ChargeKind = 'autoenergy_activate' | 'autoenergy_daily' | 'autoenergy_unit'
export type ChargeRow = {
  kind: ChargeKind
  reference: string
  amount: bigint
  counted: boolean
  activation: bigint
}

/** The charge of an activation request. */
export const findEntryCharge = statement<ChargeRow>(
  'autoenergy.findEntryCharge',
  `
  select kind, reference, amount_sun as amount, counted, activation from autoenergy.charge
   where subscription_id = $1 and activation = $2 and kind in ('autoenergy_activate', 'autoenergy_daily')
     and amount_sun > 0
   order by id
   limit 1
`,
)

export const findUnitCharge = statement<ChargeRow>(
  'autoenergy.findUnitCharge',
  `
  select kind, reference, amount_sun as amount, counted, activation from autoenergy.charge
   where kind = 'autoenergy_unit' and reference = $1 and amount_sun > 0
`,
)

/** Decided calls in solid blocks. */
export const finishCalls = statement<{ txid: string }>(
  'autoenergy.finishCalls',
  `
  update autoenergy.call c set final = true
   where c.txid in (select o.txid from autoenergy.call o
                     where not o.final and o.block_number <= $1 and o.state <> 'seen'
                     order by o.txid limit $2 for update skip locked)
  returning c.txid
`,
)

/** Orphaned calls that can no longer be mined. */
export const deadCalls = statement<{ txid: string; subscription: string }>(
  'autoenergy.deadCalls',
  `
  select txid, subscription_id as subscription from autoenergy.call
   where not final and block_number is null and expires_at < $1
   order by txid limit $2
`,
)

export const lockDeadCall = statement<{ state: string; time: Date }>(
  'autoenergy.lockDeadCall',
  `
  select state, block_time as time from autoenergy.call
   where txid = $1 and not final and block_number is null for update
`,
)

export const reverseCall = statement(
  'autoenergy.reverseCall',
  `
  update autoenergy.call set state = 'reversed', final = true where txid = $1
`,
)

export const lastCallAt = statement<{ at: Date | null }>(
  'autoenergy.lastCallAt',
  `
  select max(block_time) as at from autoenergy.call
   where subscription_id = $1 and activation = $2 and state in ('billed', 'free')
`,
)

export type Savings = { energyUsed: bigint; burnCost: bigint; saved: bigint }
export type SavingsRow = { id: string; energyUsed: bigint; burnCost: bigint; saved: bigint }

export const listSubscriptions = statement<Subscription>(
  'autoenergy.listSubscriptions',
  `
  select ${COLUMNS} from autoenergy.subscription
   where account_id = $1 and deleted_at is null
   order by created_at desc, id desc
`,
)

export const sumSavings = statement<SavingsRow>(
  'autoenergy.sumSavings',
  `
  select subscription_id as id, sum(energy)::bigint as "energyUsed", sum(burn_cost_sun)::bigint as "burnCost",
         sum(burn_cost_sun - billed_sun - burned_sun)::bigint as saved
    from autoenergy.call
   where subscription_id = any ($1) and state = 'billed'
   group by subscription_id
`,
)

export type UsageRow = {
  txid: string
  energyClass: EnergyClass
  billed: bigint
  time: Date
  energyUsed: bigint
  burnCost: bigint
  saved: bigint
}

export const listUsage = statement<UsageRow>(
  'autoenergy.listUsage',
  `
  select txid, energy_class as "energyClass", billed_sun as billed, block_time as time, energy as "energyUsed",
         burn_cost_sun as "burnCost", burn_cost_sun - billed_sun - burned_sun as saved
    from autoenergy.call
   where subscription_id = $1 and state = 'billed'
   order by block_time desc, position desc, txid
   limit $2 offset $3
`,
)

export type BillingRow = { kind: ChargeKind; amount: bigint; at: Date }

export const listBilling = statement<BillingRow>(
  'autoenergy.listBilling',
  `
  select kind, amount_sun as amount, at from autoenergy.charge
   where subscription_id = $1
   order by at desc, created_at desc, id desc
   limit $2 offset $3
`,
)

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'autoenergy.readSwitch',
  `
  select enabled, reason from autoenergy.switch
`,
)

export const writeSwitch = statement(
  'autoenergy.writeSwitch',
  `
  update autoenergy.switch set enabled = $1, reason = $2
`,
)
