import { statement } from '../db/index.ts'
import type { Behaviour, Offer } from './provider.ts'

export type ProviderRow = {
  name: string
  enabled: boolean
  unitPrice: bigint
  behaviour: Behaviour
}

export const readProviders = statement<ProviderRow>(
  'providers.readProviders',
  `
  select name, enabled, unit_price_sun as "unitPrice", behaviour from providers.provider order by name
`,
)

export const writeProvider = statement<{ name: string }>(
  'providers.writeProvider',
  `
  update providers.provider
     set behaviour = coalesce($2, behaviour), unit_price_sun = coalesce($3, unit_price_sun)
   where name = $1
  returning name
`,
)

export const writeOffer = statement(
  'providers.writeOffer',
  `
  insert into providers.offer (provider, unit_price_sun, capacity_energy, seen_at)
  values ($1, $2, $3, clock_timestamp())
  on conflict (provider) do update
    set unit_price_sun = excluded.unit_price_sun, capacity_energy = excluded.capacity_energy,
        seen_at = excluded.seen_at
`,
)

export const withdrawOffer = statement(
  'providers.withdrawOffer',
  `
  delete from providers.offer where provider = $1
`,
)

export const freshOffers = statement<Offer>(
  'providers.freshOffers',
  `
  select o.provider, o.unit_price_sun as "unitPrice", o.capacity_energy as capacity
    from providers.offer o join providers.provider p on p.name = o.provider
   where p.enabled and p.behaviour <> 'down'
     and o.seen_at > clock_timestamp() - make_interval(secs => $1 / 1000.0)
   order by o.unit_price_sun, o.provider
`,
)
