import { statement } from '../../db/index.ts'

export type PartRow = {
  id: string
  requestId: string
  provider: string
  energy: bigint
  unitPrice: bigint
  cost: bigint
  receiver: string
}

/**
 * Locks open parts of open requests before their deadline. Parts that another worker is placing are
 * skipped, and so are parts of requests that are being ended: we hold a shared lock on the request.
 * Parts of providers that this service does not have go to own stake, which refuses them.
 */
export const lockOpenParts = statement<PartRow>(
  'delivery.lockOpenParts',
  `
  select p.id, p.request_id as "requestId", p.provider, p.energy, p.unit_price_sun as "unitPrice",
         p.cost_sun as cost, r.receiver_address as receiver
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and r.state = 'open' and r.deadline_at > $2 and p.id <> all ($5::uuid[])
     and case when $3::text is null then p.provider <> all ($4::text[]) else p.provider = $3 end
   order by p.id
   limit $1
     for update of p skip locked
     for share of r skip locked
`,
)

export const insertAttempts = statement(
  'delivery.insertAttempts',
  `
  insert into delivery.attempt
    (id, part_id, provider, state, txid, signing_request, owner_address, stake_sun, expires_at, reason, energy,
     act_at, created_at)
  select g.*, $13
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::bigint[],
                $9::timestamptz[], $10::text[], $11::bigint[], $12::timestamptz[]) as g
`,
)

export const setParts = statement(
  'delivery.setParts',
  `
  update delivery.part p set state = g.state, reason = g.reason
    from unnest($1::uuid[], $2::text[], $3::text[]) as g(id, state, reason)
   where p.id = g.id
`,
)

/** Reduces parts that one stake cannot carry; the remainder becomes new parts with their own attempts. */
export const shrinkParts = statement(
  'delivery.shrinkParts',
  `
  update delivery.part p set energy = g.energy, cost_sun = g.energy * p.unit_price_sun
    from unnest($1::uuid[], $2::bigint[]) as g(id, energy)
   where p.id = g.id
`,
)

export const insertShares = statement(
  'delivery.insertShares',
  `
  insert into delivery.part (id, request_id, provider, energy, unit_price_sun, cost_sun, state)
  select g.id, p.request_id, p.provider, g.energy, p.unit_price_sun, g.energy * p.unit_price_sun, 'trying'
    from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as g(id, part, energy)
    join delivery.part p on p.id = g.part
`,
)

export type HeldRow = {
  id: string
  partId: string
  provider: string
  energy: bigint
  receiver: string
}

/** Attempts that were held back until now. */
export const lockHeld = statement<HeldRow>(
  'delivery.lockHeld',
  `
  select a.id, a.part_id as "partId", a.provider, a.energy, r.receiver_address as receiver
    from delivery.attempt a
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where a.act_at <= $1 and a.part_id <> all ($3::uuid[])
   order by a.id
   limit $2
     for update of a skip locked
     for share of r skip locked
`,
)

export const actOn = statement(
  'delivery.actOn',
  `
  update delivery.attempt
     set act_at = null, txid = $2, signing_request = $3, owner_address = $4, stake_sun = $5, expires_at = $6,
         energy = $7
   where id = $1
`,
)

/** Energy of open requests that is planned at a provider and not placed there yet. */
export const sumPromised = statement<{ energy: bigint }>(
  'delivery.sumPromised',
  `
  select coalesce(sum(p.energy), 0)::bigint as energy
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and p.provider = $1 and r.state = 'open'
`,
)
