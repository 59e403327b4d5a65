import { statement } from '../db/index.ts'
import type { Config, Offer } from './config.ts'
import type { Payment } from './payment.ts'

export type AgentTerms = {
  enabled: boolean
  minBalance: bigint
  maxConfigs: bigint
  maxGenerated: bigint
  maxUnitsCap: bigint
}

export const readTerms = statement<AgentTerms>(
  'agent.readTerms',
  `
  select enabled, min_balance_sun as "minBalance", max_configs as "maxConfigs",
         max_generated as "maxGenerated", max_units_cap as "maxUnitsCap"
    from agent.terms
`,
)

export const writeTerms = statement(
  'agent.writeTerms',
  `
  update agent.terms set enabled = $1, min_balance_sun = $2, max_configs = $3, max_generated = $4, max_units_cap = $5
`,
)

const CONFIG = `
  id, account_id as account, public_id as "publicId", mode, address, proven, title,
  energy_per_unit as "energyPerUnit", base_payment_sun as "basePayment", max_units as "maxUnits", status,
  pause_reason as "pauseReason", created_at as "createdAt", updated_at as "updatedAt"`

export const lockClient = statement(
  'agent.lockClient',
  `
  insert into agent.client (account_id) values ($1)
  on conflict (account_id) do update set account_id = excluded.account_id
`,
)

/** A separate statement after the lock, so that it sees the rows committed during the wait. */
export const countConfigs = statement<{ all: bigint; generated: bigint }>(
  'agent.countConfigs',
  `
  select count(*) as all, count(*) filter (where mode = 'generated') as generated
    from agent.config where account_id = $1 and deleted_at is null
`,
)

/** The configuration that holds the address; no row when it is free. */
export const findClaim = statement<{ id: string; account: string; proven: boolean }>(
  'agent.findClaim',
  `
  select id, account_id as account, proven from agent.config
   where address = $1 and deleted_at is null and displaced_at is null
`,
)

/** The pause reason of the address's last deleted configuration. */
export const lastLeft = statement<{ pauseReason: string | null }>(
  'agent.lastLeft',
  `
  select pause_reason as "pauseReason" from agent.config
   where address = $1 and deleted_at is not null and displaced_at is null
   order by deleted_at desc limit 1
`,
)

export const displaceConfig = statement(
  'agent.displaceConfig',
  `
  update agent.config
     set status = 'paused', pause_reason = 'admin', displaced_at = $2, updated_at = $2
   where id = $1 and not proven and deleted_at is null and displaced_at is null
`,
)

/** Returns no row when the address was claimed meanwhile. */
export const insertConfig = statement<Config>(
  'agent.insertConfig',
  `
  insert into agent.config
    (id, account_id, public_id, mode, address, proven, title, energy_per_unit, base_payment_sun, max_units,
     status, pause_reason, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
  on conflict (address) where deleted_at is null and displaced_at is null do nothing
  returning ${CONFIG}
`,
)

export const listConfigs = statement<Config>(
  'agent.listConfigs',
  `
  select ${CONFIG} from agent.config
   where account_id = $1 and deleted_at is null
   order by created_at desc, id desc
`,
)

export const findConfig = statement<Config>(
  'agent.findConfig',
  `
  select ${CONFIG} from agent.config where account_id = $1 and id = $2 and deleted_at is null
`,
)

export const lockConfig = statement<Config>(
  'agent.lockConfig',
  `
  select ${CONFIG} from agent.config where account_id = $1 and id = $2 and deleted_at is null for update
`,
)

export const changeConfig = statement(
  'agent.changeConfig',
  `
  update agent.config
     set title = $2, energy_per_unit = $3, base_payment_sun = $4, max_units = $5, at_risk = at_risk and $6, updated_at = $7
   where id = $1
`,
)

export const setStatus = statement(
  'agent.setStatus',
  `
  update agent.config set status = $2, pause_reason = $3, updated_at = $4 where id = $1
`,
)

export const deleteConfig = statement(
  'agent.deleteConfig',
  `
  update agent.config set deleted_at = $2, updated_at = $2 where id = $1
`,
)

export const adminPause = statement<{ id: string }>(
  'agent.adminPause',
  `
  update agent.config set status = 'paused', pause_reason = 'admin', updated_at = $2
   where id = $1 and deleted_at is null
  returning id
`,
)

export const ownerOf = statement<{ account: string }>(
  'agent.ownerOf',
  `
  select account_id as account from agent.config where id = $1 and deleted_at is null
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

const PAYMENT = `
  id, config_id as "configId", txid, payer, amount_sun as amount, units, energy, cost_sun as cost, status,
  case when order_id is not null then base_payment_sun end as "basePayment",
  case when order_id is not null then energy_per_unit end as "energyPerUnit",
  skip_reason as "skipReason", order_id as "orderId", orphaned, created_at as "createdAt"`

export const listPayments = statement<Payment>(
  'agent.listPayments',
  `
  select ${PAYMENT} from agent.payment
   where account_id = $1 and ($2::uuid is null or config_id = $2) and ($3::text is null or status = $3)
   order by created_at desc, id desc
   limit $4 offset $5
`,
)

export type LiveRow = Pick<
  Payment,
  | 'id'
  | 'configId'
  | 'payer'
  | 'txid'
  | 'amount'
  | 'units'
  | 'energy'
  | 'status'
  | 'skipReason'
  | 'orderId'
>

/** The newest payments of each pair of configuration and payer, oldest first. */
export const listLive = statement<LiveRow>(
  'agent.listLive',
  `
  select p.id, p.config_id as "configId", p.payer, p.txid, p.amount_sun as amount, p.units, p.energy, p.status,
         p.skip_reason as "skipReason", p.order_id as "orderId"
    from unnest($1::uuid[], $2::text[]) as g(config, payer)
    join lateral (
      select * from agent.payment p
       where p.config_id = g.config and p.payer = g.payer and p.created_at > $3
       order by p.created_at desc, p.id desc limit $4) p on true
   order by p.created_at, p.id
`,
)

export type RiskRow = Pick<
  Config,
  'id' | 'account' | 'publicId' | 'title' | 'energyPerUnit' | 'basePayment'
> & { atRisk: boolean }

const RISK = `id, account_id as account, public_id as "publicId", title, energy_per_unit as "energyPerUnit",
  base_payment_sun as "basePayment", at_risk as "atRisk"`

export const listForRisk = statement<RiskRow>(
  'agent.listForRisk',
  `
  select ${RISK} from agent.config
   where deleted_at is null and displaced_at is null and id > $1
   order by id
   limit $2
`,
)

export const markRisk = statement<RiskRow>(
  'agent.markRisk',
  `
  update agent.config set at_risk = $2
   where id = $1 and at_risk <> $2 and energy_per_unit = $3 and base_payment_sun = $4 and deleted_at is null
  returning ${RISK}
`,
)

/** For operators: of one account or all, those paused by operators first. */
export const searchConfigs = statement<Config>(
  'agent.searchConfigs',
  `
  select ${CONFIG} from agent.config
   where deleted_at is null and ($1::uuid is null or account_id = $1)
   order by (pause_reason is not distinct from 'admin') desc, id desc
   limit $2
`,
)

/** Ends an operator's pause, unless another account has proved to own the address. */
export const adminRelease = statement<{ id: string }>(
  'agent.adminRelease',
  `
  update agent.config set pause_reason = 'user', updated_at = $2
   where id = $1 and deleted_at is null and displaced_at is null and status = 'paused' and pause_reason = 'admin'
  returning id
`,
)
