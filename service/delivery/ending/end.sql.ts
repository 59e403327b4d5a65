import { statement } from '../../db/index.ts'

export type EndedAttempt = {
  id: string
  provider: string
  cost: bigint
  energy: bigint
}

/** Returns only attempts that were still open. */
export const endAttempts = statement<EndedAttempt>(
  'delivery.endAttempts',
  `
  update delivery.attempt a
     set state = g.state, reason = g.reason, look_at = null, act_at = null,
         receiver_address = case when g.state in ('delivered', 'refused') then null else a.receiver_address end
    from unnest($1::uuid[], $2::text[], $3::text[]) as g(id, state, reason)
   where a.id = g.id and a.state in ('sending', 'sent', 'unknown', 'undecided')
  returning a.id, a.provider, a.cost_sun as cost, a.energy
`,
)

export type StandingRow = { id: string; delegated: bigint; underWay: bigint; tried: string[] }

/** Progress of requests: Energy delegated, Energy still being tried, and providers that failed. */
export const readStandings = statement<StandingRow>(
  'delivery.readStandings',
  `
  select g.id,
         coalesce((select sum(d.energy) from delivery.part p
                     join delivery.attempt a on a.part_id = p.id
                     join delivery.delegation d on d.attempt_id = a.id
                    where p.request_id = g.id and a.state in ('delivered', 'partial')), 0)::bigint as delegated,
         coalesce((select sum(p.energy) from delivery.part p
                    where p.request_id = g.id and p.state in ('open', 'trying')), 0)::bigint as "underWay",
         array(select distinct p.provider from delivery.part p
                where p.request_id = g.id and p.state = 'failed' order by p.provider) as tried
    from unnest($1::uuid[]) as g(id)
`,
)

export const readTxids = statement<{ id: string; txid: string }>(
  'delivery.readTxids',
  `
  select p.request_id as id, d.txid
    from delivery.part p
    join delivery.attempt a on a.part_id = p.id
    join delivery.delegation d on d.attempt_id = a.id
   where p.request_id = any ($1) and a.state in ('delivered', 'partial')
   order by d.txid
`,
)

export const endRequests = statement(
  'delivery.endRequests',
  `
  update delivery.request r set state = g.state, reason = g.reason
    from unnest($1::uuid[], $2::text[], $3::text[]) as g(id, state, reason)
   where r.id = g.id
`,
)

/** Closes unplaced parts of ended requests. */
export const closeOpenParts = statement(
  'delivery.closeOpenParts',
  `
  update delivery.part p set state = 'failed', reason = coalesce(g.reason, 'not needed any more')
    from unnest($1::uuid[], $2::text[]) as g(request, reason)
   where p.request_id = g.request and p.state = 'open'
`,
)

/** Marks open attempts of ended requests; they are still watched. */
export const suspectAttempts = statement(
  'delivery.suspectAttempts',
  `
  update delivery.attempt a set suspect_at = $2
    from delivery.part p
   where p.id = a.part_id and p.request_id = any ($1)
     and a.state in ('sending', 'sent', 'unknown', 'undecided') and a.suspect_at is null
`,
)

/** Makes delegations of these attempts due for reclaim. Locked in the order in which a block writes. */
export const reclaimNow = statement(
  'delivery.reclaimNow',
  `
  update delivery.delegation d set reclaim_at = least(d.reclaim_at, $2)
   where d.txid in (
     select o.txid from delivery.delegation o where o.attempt_id = any ($1)
      order by o.attempt_id
        for update of o)
`,
)

export const readAttempts = statement<{ id: string }>(
  'delivery.readAttempts',
  `
  select a.id from delivery.part p join delivery.attempt a on a.part_id = p.id
   where p.request_id = any ($1)
   order by a.id
`,
)
