import { statement } from '../db/index.ts'
import type { EnergyClass } from './coveredCall.ts'
import type { Costs } from './forecast.ts'
import { type ChargeKind, COLUMNS, type Savings } from './store.ts'
import type { Subscription } from './subscription.ts'

export type CountersRow = Savings & Costs & { id: string; owed: bigint }

export const listSubscriptions = statement<Subscription>(
  'autoenergy.listSubscriptions',
  `
  select ${COLUMNS} from autoenergy.subscription
   where account_id = $1 and deleted_at is null
   order by created_at desc, id desc
`,
)

/**
 * The current run of each subscription, what it has cost since the starts of the day ($2) and the month
 * ($3) and within a week ($4), and what the account owes for its address.
 */
export const sumCounters = statement<CountersRow>(
  'autoenergy.sumCounters',
  `
  select s.id, run."energyUsed", run."burnCost", run.saved, run."spentToday", run."spentThisMonth", run."spentInWeek",
         month.charged, debt.owed
    from autoenergy.subscription s
   cross join lateral (
     select coalesce(sum(energy), 0)::bigint as "energyUsed", coalesce(sum(burn_cost_sun), 0)::bigint as "burnCost",
            coalesce(sum(burn_cost_sun - billed_sun - burned_sun), 0)::bigint as saved,
            coalesce(sum(billed_sun) filter (where block_time >= $2), 0)::bigint as "spentToday",
            coalesce(sum(billed_sun) filter (where block_time >= $3), 0)::bigint as "spentThisMonth",
            coalesce(sum(billed_sun) filter (where block_time >= $4), 0)::bigint as "spentInWeek"
       from autoenergy.call c
      where c.subscription_id = s.id and c.activation = s.activation and c.state = 'billed') run
   cross join lateral (
     select coalesce(sum(amount_sun), 0)::bigint as charged from autoenergy.charge c
      where c.subscription_id = s.id and c.activation = s.activation and c.at >= $3) month
   cross join lateral (
     select coalesce(sum(billed_sun), 0)::bigint as owed from autoenergy.call c
      where c.account_id = s.account_id and c.address = s.address and c.state = 'owed') debt
   where s.id = any ($1)
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
  /** The activation whose Energy it used; 0: of a subscription that was deleted before it was paid. */
  run: bigint
}

export const listUsage = statement<UsageRow>(
  'autoenergy.listUsage',
  `
  select txid, energy_class as "energyClass", billed_sun as billed, block_time as time, energy as "energyUsed",
         burn_cost_sun as "burnCost", burn_cost_sun - billed_sun - burned_sun as saved, activation as run
    from autoenergy.call
   where subscription_id = $1 and state = 'billed'
   order by block_time desc, position desc, txid
   limit $2 offset $3
`,
)

export type BillingRow = { kind: ChargeKind; amount: bigint; at: Date; run: bigint; owed: bigint }

/** A unit that was not counted paid for a call that was owed. */
export const listBilling = statement<BillingRow>(
  'autoenergy.listBilling',
  `
  select kind, amount_sun as amount, at, activation as run,
         case when kind = 'autoenergy_unit' and not counted then amount_sun else 0 end as owed
    from autoenergy.charge
   where subscription_id = $1
   order by at desc, created_at desc, id desc
   limit $2 offset $3
`,
)
