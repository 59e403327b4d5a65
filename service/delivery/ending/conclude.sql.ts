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
   where a.state = 'sent' and a.txid is not null and a.id <> all ($2::uuid[])
   -- What the chain has shown comes first: attempts that only wait must not hide it.
   order by seen desc, a.id
   limit $1
`,
)

// What came for an attempt that was given up goes back, and delivers nothing.
const DELEGATED = `(select coalesce(sum(d.energy), 0) from delivery.part p
                   join delivery.attempt a on a.part_id = p.id
                   join delivery.delegation d on d.attempt_id = a.id
                  where p.request_id = r.id and a.state <> 'absent' and d.block_number is not null)`

const PASSED = `state = 'open' and overdue_since is null and deadline_at <= $1 and deadline_at >= $2`

/**
 * Notes when a request passed its deadline by our clock without a later block: the wait for it begins.
 * All but those of $3, or only that of $4.
 */
export const noteOverdue = statement(
  'delivery.noteOverdue',
  `
  update delivery.request set overdue_since = clock_timestamp()
   where id in (
     select id from delivery.request
      where ${PASSED} and id <> all ($3::uuid[]) and ($4::uuid is null or id = $4)
      order by id
        for update skip locked)
`,
)

export const passedRequests = statement<{ id: string }>(
  'delivery.passedRequests',
  `
  select id from delivery.request where ${PASSED} order by id
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
     and r.id <> all ($5::uuid[])
     -- Attempts that could not be judged may have delivered.
     and not exists (select from delivery.part p join delivery.attempt a on a.part_id = p.id
                      where p.request_id = r.id and a.id = any ($6::uuid[]))
     -- Delivered in time and only not written down yet is not overdue.
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
   where r.state = 'open' and r.id <> all ($2::uuid[])
     and exists (select from delivery.part p where p.request_id = r.id and p.state = 'failed')
     and r.energy > ${DELEGATED}
                  + (select coalesce(sum(p.energy), 0) from delivery.part p
                      where p.request_id = r.id and p.state in ('open', 'trying'))
   order by r.id
   limit $1
`,
)
