import { idAt, statement } from '../db/index.ts'

/** Of each account; older ones are deleted, and not listed until then. */
export const LISTED_MAX = 10_000

/** Accounts in a slice of the housekeeping: for each of them up to `LISTED_MAX` keys are read. */
const SLICE = 100

export const insertRequests = statement(
  'http.insertRequests',
  `
  insert into http.api_request (account_id, id, at, method, route, status, duration_ms, request, refusal)
  select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::smallint[], $7::real[], $8::text[], $9::text[])
`,
)

export type RequestRow = {
  id: string
  at: Date
  method: string
  route: string
  status: number
  durationMs: number
  request: string
  refusal: string | null
}

const KEPT = `
    select * from http.api_request r
     where r.account_id = $1 and r.id >= ${idAt('$2::timestamptz')}
     order by r.id desc
     limit ${LISTED_MAX}`

/** $3 and $4 bound the status, $5 is a route or empty, $6 an id or null, from which older ones are listed. */
export const listRequests = statement<RequestRow>(
  'http.listRequests',
  `
  select k.id, k.at, k.method, k.route, k.status, k.duration_ms as "durationMs", k.request, k.refusal
    from (${KEPT}) k
   where k.status between $3 and $4 and ($5 = '' or k.route = $5) and ($6::uuid is null or k.id < $6)
   order by k.id desc
   limit $7
`,
)

export const listRoutes = statement<{ route: string }>(
  'http.listRoutes',
  `
  select distinct k.route from (${KEPT}) k order by k.route
`,
)

/** Of the accounts after $3, oldest first: those from before $1, and those beyond the listed ones. */
export const pruneRequests = statement<{ rows: bigint; next: string | null }>(
  'http.pruneRequests',
  `
  with recursive account as (
    (select r.account_id as id from http.api_request r where r.account_id > $3::uuid order by r.account_id limit 1)
    union all
    select (select r.account_id from http.api_request r where r.account_id > a.id order by r.account_id limit 1)
      from account a where a.id is not null
  ), slice as materialized (
    select a.id from account a where a.id is not null limit ${SLICE}
  ), gone as (
    delete from http.api_request d
     using (select o.account_id, o.id
              from slice s
             cross join lateral (
                    select r.account_id, r.id from http.api_request r
                     where r.account_id = s.id
                       and r.id < greatest(${idAt('$1::timestamptz')}, (
                             select n.id from http.api_request n where n.account_id = s.id
                              order by n.id desc offset ${LISTED_MAX - 1} limit 1))
                     order by r.id limit $2) o
             limit $2) o
     where d.account_id = o.account_id and d.id = o.id
    returning d.id
  )
  select (select count(*) from gone) as rows,
         (select s.id::text from slice s order by s.id offset ${SLICE - 1}) as next
`,
)
