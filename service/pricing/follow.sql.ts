import { statement } from '../db/index.ts'
import type { FollowedPrice, FollowRule } from './followRule.ts'

const RULE = `
  id, group_name as "group", margin_sun as margin, change_max_sun as "changeMax", amount_max as "amountMax",
  is_experiment as "isExperiment", began_at as "beganAt", ends_at as "endsAt"`

/** Those that hold at $1 or later. */
export const readRules = statement<FollowRule>(
  'pricing.readRules',
  `select ${RULE} from pricing.follow_rule where ends_at is null or ends_at > $1 order by began_at`,
)

/** Experiments, the newest first. */
export const listExperiments = statement<FollowRule>(
  'pricing.listExperiments',
  `select ${RULE} from pricing.follow_rule where is_experiment order by began_at desc limit 20`,
)

/** Of each rule the price at $2 and those that come after it. */
export const readFollowed = statement<FollowedPrice>(
  'pricing.readFollowed',
  `
  select p.rule_id as rule, p.from_at as "fromAt", p.unit_sun as unit, p.cost_sun as cost
    from unnest($1::uuid[]) as r(id)
    join pricing.followed_price p on p.rule_id = r.id
   where p.from_at >= coalesce((select max(q.from_at) from pricing.followed_price q
                                 where q.rule_id = r.id and q.from_at <= $2), '-infinity')
   order by p.from_at
`,
)

/** One process at a time decides about rules and their prices. */
export const lockRules = statement(
  'pricing.lockRules',
  `select pg_advisory_xact_lock(hashtext('pricing.follow_rule'))`,
)

export const addRule = statement(
  'pricing.addRule',
  `
  insert into pricing.follow_rule
    (id, group_name, margin_sun, change_max_sun, amount_max, is_experiment, began_at, ends_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
`,
)

/** Ends what holds for a group at $3; an experiment keeps an earlier end. */
export const endRules = statement<{ id: string }>(
  'pricing.endRules',
  `
  update pricing.follow_rule set ends_at = greatest(began_at, $3)
   where group_name = $1 and is_experiment = $2 and (ends_at is null or ends_at > $3)
  returning id
`,
)

export type PaidRow = { unit: bigint; cost: bigint; rule: string; fromAt: Date }

/** The prices that a group paid by rules of one kind between $3 and $4, the newest first. */
export const paidWithin = statement<PaidRow>(
  'pricing.paidWithin',
  `
  select p.unit_sun as unit, p.cost_sun as cost, p.rule_id as rule, p.from_at as "fromAt"
    from pricing.follow_rule r
   cross join lateral (
     select q.rule_id, q.unit_sun, q.cost_sun, q.from_at,
            lead(q.from_at, 1, 'infinity') over (order by q.from_at) as until
       from pricing.followed_price q
      where q.rule_id = r.id
        and q.from_at >= coalesce((select max(e.from_at) from pricing.followed_price e
                                    where e.rule_id = r.id and e.from_at <= $3), '-infinity')) p
   where r.group_name = $1 and r.is_experiment = $2 and coalesce(r.ends_at, 'infinity') > $3
     and p.until > $3 and p.from_at <= $4
   order by p.from_at desc
`,
)

export const addFollowed = statement(
  'pricing.addFollowed',
  `
  insert into pricing.followed_price (rule_id, from_at, unit_sun, cost_sun) values ($1, $2, $3, $4)
  on conflict do nothing
`,
)

/** Nothing is written where the newest says the same, or is as new. */
export const addWholesale = statement(
  'pricing.addWholesale',
  `
  insert into pricing.wholesale (from_at, unit_sun)
  select $1, $2
   where not exists (select from (select from_at, unit_sun from pricing.wholesale order by from_at desc limit 1) w
                      where w.unit_sun = $2 or w.from_at >= $1)
  on conflict do nothing
`,
)

export type WholesaleRow = { fromAt: Date; unit: bigint }

/** From $1 on, and the one that held then. */
export const readWholesale = statement<WholesaleRow>(
  'pricing.readWholesale',
  `
  select from_at as "fromAt", unit_sun as unit from pricing.wholesale
   where from_at >= coalesce((select max(from_at) from pricing.wholesale where from_at <= $1), '-infinity')
   order by from_at
`,
)
