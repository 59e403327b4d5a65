import { statement } from '../db/index.ts'

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

/** The payload stays text, so that large numbers keep their digits. */
export const takePending = statement<EventRow>(
  'events.takePending',
  `
  select id, account_id as account, type, created_at as "createdAt", trace, data::text as data
    from events.take_pending($1, $2, $3)
   order by id
`,
)
