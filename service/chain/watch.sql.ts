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

export const watchedSince = statement<WatchedRow>(
  'chain.watchedSince',
  `
  select address, purpose from chain.watched where added_by >= $1::xid8
`,
)

export const insertCallers = statement(
  'chain.insertCallers',
  `
  insert into chain.caller (address) select a from unnest($1::text[]) as a
  on conflict (address) do nothing
`,
)

export const callersSince = statement<{ address: string }>(
  'chain.callersSince',
  `
  select address from chain.caller where added_by >= $1::xid8
`,
)

export const currentSnapshot = statement<{ oldest: string }>(
  'chain.currentSnapshot',
  `
  select pg_snapshot_xmin(pg_current_snapshot())::text as oldest
`,
)
