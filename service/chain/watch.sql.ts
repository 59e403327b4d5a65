import { statement } from '../db/index.ts'

export const insertWatched = statement(
  'chain.insertWatched',
  `
  insert into chain.watched (address, purpose)
  select a, $2 from unnest($1::text[]) as a
  on conflict (address) do nothing
`,
)

export type WatchedRow = { address: string; purpose: string }

export const watchedAfter = statement<WatchedRow>(
  'chain.watchedAfter',
  `
  select address, purpose from chain.watched where address > $1 order by address limit $2
`,
)

export const insertCallers = statement(
  'chain.insertCallers',
  `
  insert into chain.caller (address) select a from unnest($1::text[]) as a
  on conflict (address) do nothing
`,
)

export type AddedRow = { oldest: string; watched: WatchedRow[]; callers: string[] }

/** What was added by transactions that may have committed since $1 and $2, and from where to ask the next time; one snapshot. */
export const ADDED = `pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
         coalesce((select json_agg(json_build_object('address', w.address, 'purpose', w.purpose))
                     from chain.watched w where w.added_by >= $1::xid8), '[]') as watched,
         array(select a.address from chain.caller a where a.added_by >= $2::xid8) as callers`
