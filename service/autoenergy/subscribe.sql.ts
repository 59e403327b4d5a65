import { statement } from '../db/index.ts'
import type { EnergyClass } from './coveredCall.ts'
import { COLUMNS } from './store.ts'
import type { Subscription } from './subscription.ts'

/** Returns no row when the address is covered already, or this account has a subscription for it. */
export const insertSubscription = statement<Subscription>(
  'autoenergy.insertSubscription',
  `
  insert into autoenergy.subscription
    (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun,
     unit_price_131k_sun, term_days, idle_hours, quota_max_tx, reserved_sun, requested_at, created_at, proven,
     daily_budget_sun, monthly_budget_sun)
  values ($1, $2, $3, 'pending_activation', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $15, $16)
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

/** A reactivation uses the current plan, and may change the budgets. */
export const renewPlan = statement(
  'autoenergy.renewPlan',
  `
  update autoenergy.subscription
     set activation_fee_sun = $2, daily_sub_sun = $3, unit_price_65k_sun = $4, unit_price_131k_sun = $5, term_days = $6,
         proven = proven or $7, daily_budget_sun = $8, monthly_budget_sun = $9
   where id = $1
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

/** A call stays in the run whose Energy it used; that of a deleted subscription is in none of this one. */
export const payOwedCalls = statement(
  'autoenergy.payOwedCalls',
  `
  update autoenergy.call
     set state = 'billed', activation = case when subscription_id = $2 then activation else 0 end, subscription_id = $2
   where txid = any ($1)
`,
)
