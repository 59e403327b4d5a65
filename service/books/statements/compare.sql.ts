import { statement } from '../../db/index.ts'

export const matchCharges = statement('books.matchCharges', `select books.match_charges($1, $2)`)

export type SubjectRow = {
  subject: string
  attemptId: string | null
  orderId: string | null
  day: string
  charged: bigint
  refunded: bigint
  entries: bigint
  charges: bigint
  /** With what was settled by earlier decisions. */
  ours: bigint
}

/** Charges since a time that the last reading did not show any more. */
export const dropVanished = statement(
  'books.dropVanishedCharges',
  `
  delete from books.statement_row where provider = $1 and at >= $2 and read_at < $3
`,
)

/** Orders of which the sides differ, without those that are not over. */
export const readDifferent = statement<SubjectRow>(
  'books.readDifferentSubjects',
  `
  select s.subject, s.attempt_id as "attemptId", s.order_id as "orderId",
         to_char(s.at at time zone 'UTC', 'YYYY-MM-DD') as day,
         s.charged_sun as charged, s.refunded_sun as refunded, s.entries, s.charges,
         (s.ours_sun + s.settled_sun)::bigint as ours
    from books.statement_subjects($1, $2, $3) s
   where not s.is_open and s.charged_sun - s.refunded_sun <> s.ours_sun + s.settled_sun
   order by s.subject
`,
)

/** Keeps one open difference for each order; what has changed is written over it. */
export const writeDifferences = statement(
  'books.writeDifferences',
  `
  insert into books.statement_difference as d
    (id, provider, subject, day, kind, order_id, attempt_id, theirs_sun, ours_sun, first_seen_at, last_seen_at)
  select g.id, $1, g.subject, g.day, g.kind, g.order_id, g.attempt_id, g.theirs, g.ours, $10, $10
    from unnest($2::uuid[], $3::text[], $4::date[], $5::text[], $6::text[], $7::uuid[], $8::bigint[], $9::bigint[])
         as g(id, subject, day, kind, order_id, attempt_id, theirs, ours)
  on conflict (provider, subject) where state in ('open', 'claimed') do update
     set kind = excluded.kind, order_id = excluded.order_id, attempt_id = excluded.attempt_id,
         theirs_sun = excluded.theirs_sun, ours_sun = excluded.ours_sun, last_seen_at = excluded.last_seen_at
`,
)

/** Closes what differs no more: $3 is what still does, $2 whether it is about the balance. */
export const closeSettled = statement<{ id: string }>(
  'books.closeSettledDifferences',
  `
  update books.statement_difference
     set last_seen_at = $4, note = case when state = 'claimed' then 'Their credit was seen: both sides agree.'
                                        else 'Both sides agree by now.' end,
         state = 'closed'
   where provider = $1 and (kind = 'balance') = $2 and subject <> all ($3::text[]) and state in ('open', 'claimed')
  returning id
`,
)

/** Days that were read in whole: from day $4 on. */
export const writeDays = statement(
  'books.writeStatementDays',
  `
  insert into books.statement_day as d (provider, day, theirs_sun, ours_sun, matched, compared_at)
  select $1, (s.at at time zone 'UTC')::date, sum(s.charged_sun - s.refunded_sun)::bigint, sum(s.ours_sun)::bigint,
         count(*) filter (where s.attempt_id is not null and s.charges > 0), $5
    from books.statement_subjects($1, $2, $3) s
   where not s.is_open and s.at >= $4
   group by 2
  having sum(s.charged_sun) > 0 or sum(s.refunded_sun) > 0 or sum(s.ours_sun) > 0
  on conflict (provider, day) do update
     set theirs_sun = excluded.theirs_sun, ours_sun = excluded.ours_sun, matched = excluded.matched,
         compared_at = excluded.compared_at
`,
)

export const readOpenSince = statement<{ since: Date | null }>(
  'books.readOpenAttemptsSince',
  `
  select min(a.called_at) as since from delivery.attempts_at($1, $2, 'infinity', '{}') a where a.is_open
`,
)

/**
 * What we booked for attempts that were called between two times, and what the balance may show otherwise: attempts that are
 * not over, and calls within a minute of a reading of the balance. `expected` counts those that are not over in full.
 */
export const readPaid = statement<{
  ours: bigint
  expected: bigint
  uncertain: bigint
  attempts: bigint
}>(
  'books.readPaidBetween',
  `
  with called as materialized (
    select a.*, a.called_at >= $3::timestamptz - interval '1 minute' as is_near
      from delivery.attempts_at($1, $2, $3::timestamptz + interval '1 minute', '{}') a
  ), paid as materialized (
    select p.* from ledger.paid_under(array(select c.id::text from called c)) p
  )
  select coalesce(sum(p.amount_sun), 0)::bigint as ours,
         coalesce(sum(case when c.is_open then c.cost_sun else p.amount_sun end), 0)::bigint as expected,
         coalesce(sum(c.cost_sun) filter (where c.is_open or c.is_near), 0)::bigint as uncertain,
         count(*) filter (where c.is_open or p.amount_sun is not null) as attempts
    from called c left join paid p on p.reference_id = c.id::text
`,
)

export const readSettled = statement<{ amount: bigint }>(
  'books.readSettledDifferences',
  `
  select coalesce(sum(settled_sun), 0)::bigint as amount from books.statement_difference
   where provider = $1 and subject = $2 and state in ('accepted', 'dismissed')
`,
)

/** What the balance fell by adds up: it may be read several times in a day. */
export const addToDay = statement(
  'books.addToStatementDay',
  `
  insert into books.statement_day as d (provider, day, theirs_sun, ours_sun, matched, compared_at)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (provider, day) do update
     set theirs_sun = d.theirs_sun + excluded.theirs_sun, ours_sun = d.ours_sun + excluded.ours_sun,
         matched = d.matched + excluded.matched, compared_at = excluded.compared_at
`,
)
