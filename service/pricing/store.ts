import { statement } from '../db/index.ts'

export type TermsRow = {
  /** int8[] comes as text; see terms.ts. */
  schedule: string[]
  minAmount: bigint
  maxAmount: bigint
  marginFloor: bigint
}

export const readTerms = statement<TermsRow>(
  'pricing.readTerms',
  `
  select schedule_sun::text[] as schedule, min_amount as "minAmount", max_amount as "maxAmount",
         margin_floor_sun as "marginFloor"
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
