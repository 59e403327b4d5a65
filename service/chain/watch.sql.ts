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

/** What was added by transactions that may have committed since, and from where to ask the next time; one snapshot. */
export const addedSince = statement<{ oldest: string; watched: WatchedRow[]; callers: string[] }>(
  'chain.addedSince',
  `
  select pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
         coalesce((select json_agg(json_build_object('address', w.address, 'purpose', w.purpose))
                     from chain.watched w where w.added_by >= $1::xid8), '[]') as watched,
         array(select c.address from chain.caller c where c.added_by >= $2::xid8) as callers
`,
)
