import { statement } from '../db/index.ts'
import type { Behaviour } from './provider.ts'

export type ProviderRow = {
  name: string
  enabled: boolean
  unitPrice: bigint
  behaviour: Behaviour
  capacity: bigint | null
  delayMs: bigint
  /** Time of the last request for its offer. */
  askedAt: Date | null
}

const PROVIDER = `name, enabled, unit_price_sun as "unitPrice", behaviour, capacity_energy as capacity,
  delay_ms as "delayMs", polled_at as "askedAt"`

export const readProviders = statement<ProviderRow>(
  'providers.readProviders',
  `
  select ${PROVIDER} from providers.provider order by name
`,
)

export const registerProviders = statement(
  'providers.registerProviders',
  `
  insert into providers.provider (name, unit_price_sun)
  select name, 0 from unnest($1::text[]) as name
  on conflict (name) do nothing
`,
)

/** Sets a behaviour; it also resets the failures and makes a poll due. */
export const writeProvider = statement<{ name: string }>(
  'providers.writeProvider',
  `
  update providers.provider
     set behaviour = coalesce($2, behaviour), unit_price_sun = coalesce($3, unit_price_sun),
         capacity_energy = coalesce($4, capacity_energy), delay_ms = coalesce($5, delay_ms),
         failures = 0, shut_until = null, fill_bps = 10000, next_call_at = null,
         polled_at = clock_timestamp()
   where name = $1
  returning name
`,
)

/** Claims providers whose poll is due; each by one process. */
export const claimPolls = statement<ProviderRow>(
  'providers.claimPolls',
  `
  update providers.provider set polled_at = clock_timestamp()
   where name in (
     select name from providers.provider
      where $1 or polled_at is null
         or polled_at <= clock_timestamp() - make_interval(secs => case name when 'own_stake' then 0.9 else 4.5 end)
      order by name
        for update skip locked)
  returning ${PROVIDER}
`,
)

/** With the float where the provider says it. */
export const writeOffer = statement(
  'providers.writeOffer',
  `
  with float as (
    update providers.provider set float_sun = $8, float_seen_at = clock_timestamp() where name = $1 and $8::bigint is not null)
  insert into providers.offer
    (provider, unit_price_sun, capacity_energy, minimum_energy, surcharge_below, surcharge_sun, asked_at, seen_at)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()), clock_timestamp())
  on conflict (provider) do update
    set unit_price_sun = excluded.unit_price_sun, capacity_energy = excluded.capacity_energy,
        minimum_energy = excluded.minimum_energy, surcharge_below = excluded.surcharge_below,
        surcharge_sun = excluded.surcharge_sun, asked_at = excluded.asked_at, seen_at = excluded.seen_at
`,
)

/** Sum of our prepaid balances at marketplaces, also of those that sell nothing now. */
export const sumFloats = statement<{ amount: bigint }>(
  'providers.sumFloats',
  `
  select coalesce(sum(float_sun), 0)::bigint as amount from providers.provider
`,
)

export const withdrawOffer = statement(
  'providers.withdrawOffer',
  `
  delete from providers.offer where provider = $1
`,
)

export type MarketRow = {
  provider: string
  unitPrice: bigint | null
  capacity: bigint | null
  minimum: bigint | null
  surchargeBelow: bigint | null
  surcharge: bigint | null
  fillBps: bigint
  /** Age since the request. */
  ageMs: number | null
  unable: string | null
}

/** Every provider with its offer, or with the reason why it has none. */
export const readMarket = statement<MarketRow>(
  'providers.readMarket',
  `
  select p.name as provider, o.unit_price_sun as "unitPrice", o.capacity_energy as capacity,
         o.minimum_energy as minimum, o.surcharge_below as "surchargeBelow", o.surcharge_sun as surcharge,
         p.fill_bps as "fillBps",
         extract(epoch from clock_timestamp() - o.asked_at)::double precision * 1000 as "ageMs",
         case when not p.enabled then 'switched off'
              when p.behaviour = 'down' or o.provider is null then 'offers nothing'
              when o.seen_at <= clock_timestamp() - make_interval(secs => $1 / 1000.0) then 'its offer is stale'
              when p.shut_until > clock_timestamp() then 'failed too often lately' end as unable
    from providers.provider p left join providers.offer o on o.provider = p.name
   order by o.unit_price_sun, p.name
`,
)

/** Returns a row when an order may go there. After too many failures, one caller at a time probes it. */
export const takeTurn = statement<{ name: string }>(
  'providers.takeTurn',
  `
  update providers.provider
     set shut_until = case when failures < $2 then null else clock_timestamp() + make_interval(secs => $3) end
   where name = $1 and enabled and (shut_until is null or shut_until <= clock_timestamp())
  returning name
`,
)

/** Moving average of the fill rate with weight 1/20; a filled order resets the failures. */
export const noteFilled = statement(
  'providers.noteFilled',
  `
  update providers.provider
     set fill_bps = least(10000, fill_bps + (10000 - fill_bps + 19) / 20), failures = 0, shut_until = null
   where name = $1
`,
)

export const noteFailed = statement<{ failures: bigint }>(
  'providers.noteFailed',
  `
  update providers.provider
     set fill_bps = greatest(1, fill_bps - fill_bps / 20), failures = failures + 1,
         shut_until = case when failures + 1 < $2 then shut_until
                           else clock_timestamp() + make_interval(secs => $3) end
   where name = $1
  returning failures
`,
)

export type HealthRow = {
  name: string
  enabled: boolean
  unitPrice: bigint | null
  capacity: bigint | null
  minimum: bigint | null
  fillBps: bigint
  failures: bigint
  shutUntil: Date | null
  seenAt: Date | null
  /** Prepaid balance as last reported; null without one. */
  float: bigint | null
  floatSeenAt: Date | null
  unable: string | null
}

/** Every provider, for operators. */
export const readHealth = statement<HealthRow>(
  'providers.readHealth',
  `
  select p.name, p.enabled, o.unit_price_sun as "unitPrice", o.capacity_energy as capacity,
         o.minimum_energy as minimum, p.fill_bps as "fillBps", p.failures, p.shut_until as "shutUntil",
         o.seen_at as "seenAt", p.float_sun as float, p.float_seen_at as "floatSeenAt",
         case when not p.enabled then 'switched off'
              when p.behaviour = 'down' or o.provider is null then 'offers nothing'
              when o.seen_at <= clock_timestamp() - make_interval(secs => $1 / 1000.0) then 'its offer is stale'
              when p.shut_until > clock_timestamp() then 'failed too often lately' end as unable
    from providers.provider p left join providers.offer o on o.provider = p.name
   order by p.name
`,
)

export const switchProvider = statement<{ name: string }>(
  'providers.switchProvider',
  `
  update providers.provider set enabled = $2 where name = $1 returning name
`,
)
