import { statement } from '../../db/index.ts'

export type OpenAttempt = {
  id: string
  partId: string
  requestId: string
  provider: string
  txid: string
  signingRequest: string
  expiresAt: Date
  /** Energy of its transaction, and of the part. */
  energy: bigint
  wanted: bigint
  /** A block on the chain holds the delegation. */
  seen: boolean
}

export const openAttempts = statement<OpenAttempt>(
  'delivery.openAttempts',
  `
  select a.id, a.part_id as "partId", p.request_id as "requestId", a.provider, a.txid,
         a.signing_request as "signingRequest", a.expires_at as "expiresAt", a.energy, p.energy as wanted,
         exists (select from delivery.delegation d where d.txid = a.txid and d.block_number is not null) as seen
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where a.state = 'sent' and a.txid is not null
   -- Attempts with evidence first, so that waiting attempts do not fill the batch.
   order by seen desc, a.id
   limit $1
`,
)

export type RequestRow = {
  id: string
  state: 'open' | 'delivered' | 'failed'
  trace: string
  energy: bigint
  deadlineAt: Date
}

/** Ordered by id, so that two workers with overlapping requests do not deadlock. */
export const lockRequests = statement<RequestRow>(
  'delivery.lockRequests',
  `
  select id, state, trace, energy, deadline_at as "deadlineAt"
    from delivery.request where id = any ($1) order by id for update
`,
)

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

export const reclaimLate = statement(
  'delivery.reclaimLate',
  `
  update delivery.delegation set reclaim_at = least(reclaim_at, $2) where txid = $1
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

// A delegation for an attempt that was given up is reclaimed and does not count.
const DELEGATED = `(select coalesce(sum(d.energy), 0) from delivery.part p
                   join delivery.attempt a on a.part_id = p.id
                   join delivery.delegation d on d.attempt_id = a.id
                  where p.request_id = r.id and a.state <> 'absent' and d.block_number is not null)`

/** Notes when a request passed its deadline by our clock without a later block: the wait for it begins. */
export const noteOverdue = statement(
  'delivery.noteOverdue',
  `
  update delivery.request set overdue_since = clock_timestamp()
   where id in (
     select id from delivery.request
      where state = 'open' and overdue_since is null and deadline_at <= $1 and deadline_at >= $2
      order by id
        for update skip locked)
`,
)

/**
 * Requests past their deadline at $1 for which a later block is read (the newest has time $2), so that
 * every delegation in time is known. The wait for such a block ends after $4 ms of elapsed time.
 */
export const overdueRequests = statement<{ id: string }>(
  'delivery.overdueRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open' and r.deadline_at <= $1
     and (r.deadline_at < $2 or r.overdue_since <= clock_timestamp() - make_interval(secs => $4 / 1000.0))
     -- A request that is delivered in time and not concluded yet is not overdue.
     and r.energy > ${DELEGATED}
   order by r.id
   limit $3
`,
)

/** Requests with a failed part that is not planned again yet. */
export const shortRequests = statement<{ id: string }>(
  'delivery.shortRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open'
     and exists (select from delivery.part p where p.request_id = r.id and p.state = 'failed')
     and r.energy > ${DELEGATED}
                  + (select coalesce(sum(p.energy), 0) from delivery.part p
                      where p.request_id = r.id and p.state in ('open', 'trying'))
   order by r.id
   limit $1
`,
)
