import { statement } from '../../db/index.ts'
import type { StakeTerms } from './cost.ts'

export type TermsRow = StakeTerms & {
  /** An operator's own figure for all stakes. */
  unit: bigint | null
  changedAt: Date | null
}

const TERMS = `
  select yield_bps as "yieldBps", floor_bps as "floorBps", days, unit_sun as unit,
         nullif(changed_at, '-infinity') as "changedAt"
    from providers.stake_terms`

export const readTerms = statement<TermsRow>('providers.readStakeTerms', TERMS)

export type UnitRow = {
  yieldBps: bigint
  /** An operator's own figure for all stakes. */
  byHand: bigint | null
  /** By the costing that holds at $1. */
  costed: bigint | null
  /** What the sandbox was told; 0: nothing. */
  scripted: bigint
}

/** All that the figure of now can come from, in one look: it is read with every offer. */
export const readUnit = statement<UnitRow>(
  'providers.readStakeUnit',
  `
  select t.yield_bps as "yieldBps", t.unit_sun as "byHand", p.unit_price_sun as scripted,
         (select c.unit_sun from providers.stake_costing c where c.at <= $1 order by c.at desc limit 1) as costed
    from providers.stake_terms t, providers.provider p
   where p.name = 'own_stake'
`,
)

/** One process at a time works the cost out. */
export const lockTerms = statement<TermsRow>('providers.lockStakeTerms', `${TERMS} for update`)

export const writeTerms = statement(
  'providers.writeStakeTerms',
  `
  update providers.stake_terms
     set yield_bps = $1, floor_bps = $2, days = $3, unit_sun = $4, changed_at = $5
`,
)

export type OverrideRow = { owner: string; unit: bigint }

export const readOverrides = statement<OverrideRow>(
  'providers.readStakeOverrides',
  `
  select owner_address as owner, unit_sun as unit from providers.stake_override order by owner_address
`,
)

export const writeOverride = statement(
  'providers.writeStakeOverride',
  `
  insert into providers.stake_override (owner_address, unit_sun) values ($1, $2)
  on conflict (owner_address) do update set unit_sun = excluded.unit_sun
`,
)

export const dropOverride = statement(
  'providers.dropStakeOverride',
  `
  delete from providers.stake_override where owner_address = $1
`,
)

export type CostingRow = {
  at: Date
  beganAt: Date
  uptoBlock: bigint
  yieldBps: bigint
  floorBps: bigint
  days: bigint
  unit: bigint | null
}

/** The one that holds at $1. */
export const readCosting = statement<CostingRow>(
  'providers.readStakeCosting',
  `
  select at, began_at as "beganAt", upto_block as "uptoBlock", yield_bps as "yieldBps", floor_bps as "floorBps", days,
         unit_sun as unit
    from providers.stake_costing where at <= $1 order by at desc limit 1
`,
)

export type StakeCostRow = {
  owner: string
  seconds: bigint
  staked: bigint
  yielded: bigint
  fees: bigint
  sold: bigint
  produced: bigint
  expected: bigint
  unit: bigint | null
  isOverride: boolean
}

export const readStakeCosts = statement<StakeCostRow>(
  'providers.readStakeCosts',
  `
  select owner_address as owner, window_seconds as seconds, window_staked_sun as staked, window_yield_sun as yielded,
         window_fees_sun as fees, window_sold_energy as sold, window_produced_energy as produced,
         window_expected_energy as expected, unit_sun as unit, is_override as "isOverride"
    from providers.stake_cost where at = $1 order by owner_address
`,
)

export type PastRow = {
  owner: string
  seconds: bigint
  staked: bigint
  perDay: bigint
  standing: bigint
  orders: bigint
  fees: bigint
}

/** Each stake's use from $1 on: averages over time, and sums of what was sold and burned. */
export const readPast = statement<PastRow>(
  'providers.readStakePast',
  `
  select t.owner, t.seconds, (t.staked / greatest(t.seconds, 1))::bigint as staked,
         (t.per_day / greatest(t.seconds, 1))::bigint as "perDay",
         (t.standing / greatest(t.seconds, 1))::bigint as standing, t.orders, t.fees
    from (select s.owner_address as owner, sum(g.seconds)::bigint as seconds, sum(s.staked_sun * g.seconds) as staked,
                 sum(s.energy_per_day * g.seconds) as per_day, sum(s.standing_per_day * g.seconds) as standing,
                 sum(s.sold_energy)::bigint as orders, sum(s.fees_sun)::bigint as fees
            from providers.stake_costing c
            join providers.stake_cost s on s.at = c.at
           cross join lateral (select round(extract(epoch from c.at - c.began_at)) as seconds) g
           where c.at > $1
           group by s.owner_address) t
`,
)

export const addCosting = statement(
  'providers.addStakeCosting',
  `
  insert into providers.stake_costing (at, began_at, upto_block, yield_bps, floor_bps, days, unit_sun)
  values ($1, $2, $3, $4, $5, $6, $7)
`,
)

export const addStakeCosts = statement(
  'providers.addStakeCosts',
  `
  insert into providers.stake_cost
    (at, owner_address, staked_sun, energy_per_day, standing_per_day, sold_energy, fees_sun, window_seconds,
     window_staked_sun, window_yield_sun, window_fees_sun, window_sold_energy, window_produced_energy,
     window_expected_energy, unit_sun, is_override)
  select $1, g.* from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                             $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[],
                             $14::bigint[], $15::bigint[], $16::boolean[]) as g
`,
)

export type StakeDayRow = { day: string; cost: bigint }

/** The yield that all stakes had to earn on each UTC day from $1 until before $2, up to the last costing. */
export const readStakeDays = statement<StakeDayRow>(
  'providers.readStakeDays',
  `
  select to_char(g.day, 'YYYY-MM-DD') as day,
         floor(sum(g.staked * g.yield_bps * extract(epoch from g.until - g.since)) / (10000::numeric * 31536000))::bigint as cost
    from (select d.day::date as day, s.staked_sun as staked, c.yield_bps,
                 greatest(c.began_at, d.day at time zone 'UTC') as since,
                 least(c.at, (d.day + interval '1 day') at time zone 'UTC') as until
            from providers.stake_costing c
            join providers.stake_cost s on s.at = c.at
           cross join lateral generate_series(date_trunc('day', c.began_at at time zone 'UTC'),
                                              date_trunc('day', c.at at time zone 'UTC'), interval '1 day') as d(day)
           where c.at > ($1::date)::timestamp at time zone 'UTC' and c.began_at < ($2::date)::timestamp at time zone 'UTC'
             and d.day >= $1::date and d.day < $2::date) g
   where g.until > g.since
   group by g.day
   order by g.day
`,
)
