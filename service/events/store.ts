import { idAt, statement } from '../db/index.ts'

export const emitMany = statement(
  'events.emitMany',
  `
  select events.emit_many($1, $2, $3, $4, $5, $6, $7::json[])
`,
)

export const prepareDays = statement<{ made: bigint }>(
  'events.prepareDays',
  `
  select events.prepare_days($1, $2) as made
`,
)

export const setInterest = statement(
  'events.setInterest',
  `
  insert into events.interest (account_id, reader, types, since) values ($1, $2, $3, $4)
  on conflict (account_id, reader) do update set types = excluded.types, since = excluded.since
`,
)

export const dropInterest = statement(
  'events.dropInterest',
  `
  delete from events.interest where account_id = $1 and reader = $2
`,
)

export type EventRow = {
  id: string
  account: string
  type: string
  createdAt: Date
  trace: string
  data: string
}

export type FeedRow = Omit<EventRow, 'account' | 'trace'> & { writtenBy: string }

/** Only events whose transaction is older than the oldest that still runs: none can come before them later. */
export const readFeed = statement<FeedRow>(
  'events.readFeed',
  `
  select id, type, created_at as "createdAt", data::text as data, written_by::text as "writtenBy"
    from events.event
   where account_id = $1 and (written_by, id) > ($2::text::xid8, $3::uuid)
     and written_by < pg_snapshot_xmin(pg_current_snapshot()) and type = any ($5::text[])
   order by written_by, id
   limit $4
`,
)

/** In the order in which they happened. */
export const readBetween = statement<{ id: string; createdAt: Date }>(
  'events.readBetween',
  `
  select id, created_at as "createdAt" from events.event
   where account_id = $1 and created_at >= $2 and created_at <= $3 and type = any ($4::text[])
   order by created_at, id
   limit $5
`,
)

export type SubjectRow = { id: string; type: string; createdAt: Date }

/** Events of one thing, of a time. The time is also in the ids, so that other days and hours are not read. */
export const readOfSubject = statement<SubjectRow>(
  'events.readOfSubject',
  `
  select id, type, created_at as "createdAt" from events.event
   where account_id = $1 and subject = any ($2::text[]) and created_at >= $3 and created_at <= $4
     and id >= ${idAt('$3::timestamptz')}
   order by created_at, id
   limit 100
`,
)

export const findEvent = statement<EventRow>(
  'events.findEvent',
  `
  select id, account_id as account, type, created_at as "createdAt", trace, data::text as data
    from events.event where id = $1 and created_at = $2
`,
)

/** The payload stays text, so that large numbers keep their digits. */
export const takePending = statement<EventRow>(
  'events.takePending',
  `
  select id, account_id as account, type, created_at as "createdAt", trace, data::text as data
    from events.take_pending($1, $2, $3)
   order by id
`,
)
