import { statement } from '../db/index.ts'

/** Of days that began before $1. */
export const pruneDays = statement<{ rows: bigint }>(
  'status.pruneDays',
  `
  with gone as (
    delete from status.day d
     using (select o.day, o.component from status.day o
             where o.day < $1::timestamptz at time zone 'UTC' limit $2 for update skip locked) old
     where d.day = old.day and d.component = old.component
    returning d.day
  )
  select count(*) as rows from gone
`,
)

export const pruneDismissals = statement<{ rows: bigint }>(
  'status.pruneDismissals',
  `
  with gone as (
    delete from status.dismissal d
     using (select o.account_id, o.announcement_id from status.dismissal o
             where o.at < $1 order by o.at limit $2) old
     where d.account_id = old.account_id and d.announcement_id = old.announcement_id
    returning d.at
  )
  select count(*) as rows from gone
`,
)
