import { statement } from './statement.ts'

/** A row whose next try is so long overdue is about a thing that is gone, or handled by another process. */
const KEPT = `interval '1 minute'`

/**
 * Notes a failure at business time $4. The pauses are 1, 2, 4 … s, at most $5. Rows that are over are
 * deleted here, so that a healthy service has no statement for them.
 */
export const putAside = statement<{ failures: number; nextAt: Date }>(
  'db.putAside',
  `
  with over as (
    delete from db.put_aside
     where (loop, subject) in (
       select o.loop, o.subject from db.put_aside o
        where o.next_at < $4::timestamptz - ${KEPT} and (o.loop, o.subject) <> ($1, $2)
          for update skip locked))
  insert into db.put_aside as a (loop, subject, error, failures, first_at, last_at, next_at)
  values ($1, $2, $3, 1, $4, $4, $4::timestamptz + interval '1 second')
  on conflict (loop, subject) do update
    set error = excluded.error,
        failures = a.failures + 1,
        last_at = excluded.last_at,
        next_at = $4::timestamptz + make_interval(secs => least(power(2, least(a.failures, 20)), $5::float8))
  returning failures, next_at as "nextAt"
`,
)

export const takeBack = statement(
  'db.takeBack',
  `
  delete from db.put_aside where loop = $1 and subject = $2
`,
)

/** A process that starts knows nothing of earlier failures and tries everything at once. */
export const retryAll = statement(
  'db.retryAll',
  `
  update db.put_aside set next_at = least(next_at, $1)
`,
)

export type AsideRow = {
  loop: string
  subject: string
  error: string
  failures: number
  firstAt: Date
  nextAt: Date
}

/** Longest first. */
export const listAside = statement<AsideRow>(
  'db.listAside',
  `
  select loop, subject, error, failures, first_at as "firstAt", next_at as "nextAt"
    from db.put_aside
   where next_at >= $1::timestamptz - ${KEPT}
   order by first_at, loop, subject
   limit $2
`,
)

export const countAside = statement<{ loop: string; count: bigint; oldest: Date }>(
  'db.countAside',
  `
  select loop, count(*) as count, min(first_at) as oldest
    from db.put_aside
   where next_at >= $1::timestamptz - ${KEPT}
   group by loop
   order by loop
`,
)
