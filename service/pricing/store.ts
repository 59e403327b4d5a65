import { statement } from '../db/index.ts'
import type { Sun } from '../kernel/index.ts'

export type TermsRow = {
  /** int8[] comes as text; see terms.ts. */
  schedule: string[]
  minAmount: bigint
  maxAmount: bigint
  marginFloor: bigint
  /** Prices follow wholesale for somebody, or did. */
  hasRules: boolean
}

export const readTerms = statement<TermsRow>(
  'pricing.readTerms',
  `
  select schedule_sun::text[] as schedule, min_amount as "minAmount", max_amount as "maxAmount",
         margin_floor_sun as "marginFloor", exists (select from pricing.follow_rule) as "hasRules"
    from pricing.terms
`,
)

export const writeTerms = statement(
  'pricing.writeTerms',
  `
  update pricing.terms
     set schedule_sun = $1, min_amount = $2, max_amount = $3, margin_floor_sun = $4
`,
)

export const readDiscounts = statement<{ account: string; basisPoints: bigint }>(
  'pricing.readDiscounts',
  `select account_id as account, basis_points as "basisPoints" from pricing.discount`,
)

export const writeDiscount = statement(
  'pricing.writeDiscount',
  `
  insert into pricing.discount (account_id, basis_points) values ($1, $2)
  on conflict (account_id) do update set basis_points = excluded.basis_points
`,
)

export type PlanRow = {
  name: string
  activationFee: Sun
  dailyFee: Sun
  unit65k: Sun
  unit131k: Sun
  termDays: bigint | null
}

export const readPlans = statement<PlanRow>(
  'pricing.readPlans',
  `
  select name, activation_fee_sun as "activationFee", daily_sub_sun as "dailyFee",
         unit_price_65k_sun as "unit65k", unit_price_131k_sun as "unit131k", term_days as "termDays"
    from pricing.plan where not withdrawn order by position, name
`,
)

export const withdrawPlans = statement(
  'pricing.withdrawPlans',
  `update pricing.plan set withdrawn = true`,
)

export const writePlans = statement(
  'pricing.writePlans',
  `
  insert into pricing.plan
    (name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun, unit_price_131k_sun, term_days, position)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
           with ordinality
  on conflict (name) do update
    set activation_fee_sun = excluded.activation_fee_sun, daily_sub_sun = excluded.daily_sub_sun,
        unit_price_65k_sun = excluded.unit_price_65k_sun, unit_price_131k_sun = excluded.unit_price_131k_sun,
        term_days = excluded.term_days, position = excluded.position, withdrawn = false
`,
)
