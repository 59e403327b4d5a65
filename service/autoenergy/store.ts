import { statement } from '../db/index.ts'
import { nextDue, type Subscription } from './subscription.ts'

export const COLUMNS = `
  id, account_id as account, address, status, plan_name as "planName", activation_fee_sun as "activationFee",
  daily_sub_sun as "dailyFee", unit_price_65k_sun as "unit65k", unit_price_131k_sun as "unit131k",
  term_days as "termDays", idle_hours as "idleHours", quota_max_tx as quota, activation,
  days_charged as "daysCharged", tx_used_total as used, reserved_sun as reserved, requested_at as "requestedAt",
  activated_at as "activatedAt", paid_at_request as "paidAtRequest", paid_until as "paidUntil",
  expire_at as "expireAt", last_activity_at as "lastActivityAt", closed_at as "closedAt",
  close_reason as "closeReason", live, proven, deleted_at as "deletedAt", created_at as "createdAt",
  daily_budget_sun as "dailyBudget", monthly_budget_sun as "monthlyBudget", paused_until as "pausedUntil",
  resumed_at as "resumedAt"`

/** A lock that foreign keys and facts of blocks do not wait for. `blockedAt`: an operator has blocked the client. */
export const lockSubscription = statement<Subscription & { blockedAt: Date | null }>(
  'autoenergy.lockSubscription',
  `
  select ${COLUMNS}, ledger.blocked_since(account_id) as "blockedAt"
    from autoenergy.subscription where id = $1 for no key update
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
         closed_at = $13, close_reason = $14, live = $15, paused_until = $16, resumed_at = $17, due_at = $18
   where id = $1
`,
)

/** The values of `saveSubscription`. */
export function savedValues(sub: Subscription): unknown[] {
  const marks = [sub.status, sub.activation, sub.daysCharged, sub.used, sub.reserved]
  const times = [sub.requestedAt, sub.activatedAt, sub.paidAtRequest, sub.paidUntil, sub.expireAt]
  const end = [sub.lastActivityAt, sub.closedAt, sub.closeReason, sub.live]
  const pause = [sub.pausedUntil, sub.resumedAt]
  return [sub.id, ...marks, ...times, ...end, ...pause, nextDue(sub)?.at ?? null]
}

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

/** What covered calls of a run have cost since the start of the day and of the month. */
export type SpentRow = { daily: bigint; monthly: bigint }

export const sumSpent = statement<SpentRow>(
  'autoenergy.sumSpent',
  `
  select coalesce(sum(billed_sun) filter (where block_time >= $3), 0)::bigint as daily,
         coalesce(sum(billed_sun), 0)::bigint as monthly
    from autoenergy.call
   where subscription_id = $1 and activation = $2 and state = 'billed' and block_time >= $4
`,
)

export type Savings = { energyUsed: bigint; burnCost: bigint; saved: bigint }

export const readSwitch = statement<{ enabled: boolean; reason: string }>(
  'autoenergy.readSwitch',
  `
  select enabled, reason from autoenergy.switch
`,
)
