import { statement } from '../db/index.ts'
import type { EnergyClass } from './coveredCall.ts'
import { type ChargeKind, COLUMNS } from './store.ts'
import type { Subscription } from './subscription.ts'

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
