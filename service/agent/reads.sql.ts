import { statement } from '../db/index.ts'
import type { Config, Offer } from './config.ts'
import type { Payment } from './payment.ts'
import { CONFIG } from './store.ts'

export const listConfigs = statement<Config>(
  'agent.listConfigs',
  `
  select ${CONFIG} from agent.config
   where account_id = $1 and deleted_at is null
   order by created_at desc, id desc
`,
)

export type PublicRow = Offer & {
  id: string
  account: string
  publicId: string
  mode: 'own' | 'generated'
  title: string
  address: string
  active: boolean
}

export const findPublic = statement<PublicRow>(
  'agent.findPublic',
  `
  select id, account_id as account, public_id as "publicId", mode, title, address,
         energy_per_unit as "energyPerUnit", base_payment_sun as "basePayment", max_units as "maxUnits",
         status = 'active' as active
    from agent.config where public_id = $1 and deleted_at is null
`,
)

export type SumsRow = {
  sales: bigint
  energy: bigint
  revenue: bigint
  cost: bigint
  lastSaleAt: Date | null
}

const SUMS = `
  count(*) as sales, coalesce(sum(energy), 0)::bigint as energy, coalesce(sum(amount_sun), 0)::bigint as revenue,
  coalesce(sum(cost_sun), 0)::bigint as cost, max(decided_at) as "lastSaleAt"`

/** Totals are computed sums, so that no counter can differ from the payments. */
export const sumByAccount = statement<SumsRow>(
  'agent.sumByAccount',
  `
  select ${SUMS} from agent.payment
   where account_id = $1 and status in ('delivering', 'completed') and not orphaned
`,
)

export const sumByConfig = statement<SumsRow & { configId: string }>(
  'agent.sumByConfig',
  `
  select config_id as "configId", ${SUMS} from agent.payment
   where config_id = any ($1) and status in ('delivering', 'completed') and not orphaned
   group by config_id
`,
)

/** The row keeps what a failed sale was charged, for the audit; the refund has made it cost nothing. */
export const PAYMENT = `
  id, config_id as "configId", txid, payer, amount_sun as amount, units, energy,
  case when status = 'failed' then 0 else cost_sun end as cost, status,
  case when order_id is not null then base_payment_sun end as "basePayment",
  case when order_id is not null then energy_per_unit end as "energyPerUnit",
  skip_reason as "skipReason", order_id as "orderId", orphaned, created_at as "createdAt"`

export const findPayments = statement<Payment & { account: string }>(
  'agent.findPayments',
  `
  select ${PAYMENT}, account_id as account from agent.payment where txid = $1
`,
)

export const listPayments = statement<Payment>(
  'agent.listPayments',
  `
  select ${PAYMENT} from agent.payment
   where account_id = $1 and ($2::uuid is null or config_id = $2) and ($3::text is null or status = $3)
   order by created_at desc, id desc
   limit $4 offset $5
`,
)

export type DayRow = { day: string; sales: bigint; revenue: bigint; cost: bigint }

export const sumByDay = statement<DayRow>(
  'agent.sumByDay',
  `
  select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as sales,
         sum(amount_sun)::bigint as revenue, coalesce(sum(cost_sun), 0)::bigint as cost
    from agent.payment
   where account_id = $1 and created_at >= $2 and status in ('delivering', 'completed') and not orphaned
   group by 1
`,
)

export type SkippedRow = { reason: string; payments: bigint; amount: bigint }

export const sumSkipped = statement<SkippedRow>(
  'agent.sumSkipped',
  `
  select skip_reason as reason, count(*) as payments, sum(amount_sun)::bigint as amount
    from agent.payment
   where account_id = $1 and created_at >= $2 and status = 'skipped' and not orphaned
   group by 1
   order by 2 desc, 1
`,
)
