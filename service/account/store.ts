import { statement } from '../db/index.ts'

/** Summaries begin with the day on which they were requested. Of choices that were changed since $1. */
export const beginSummaries = statement(
  'account.beginSummaries',
  `
  insert into account.summary (account_id, last_day)
  select i.account_id, (i.since at time zone 'UTC')::date - 1 from events.interested('account.daily_summary', $1) i
  on conflict (account_id) do nothing
`,
)

/** Ends summaries that nobody wants; the days until the next request are not made up. */
export const endSummaries = statement(
  'account.endSummaries',
  `
  delete from account.summary where account_id = any ($1)
`,
)

/** The next day to summarise of accounts that have not reached the given day. */
export const lockDueSummaries = statement<{ account: string; day: string; isWanted: boolean }>(
  'account.lockDueSummaries',
  `
  select account_id as account, (last_day + 1)::text as day,
         events.is_wanted(account_id, 'account.daily_summary') as "isWanted"
    from account.summary
   where last_day < $1::date and account_id <> all ($3::uuid[])
   order by last_day, account_id
   limit $2
     for update skip locked
`,
)

export const setLastDay = statement(
  'account.setLastDay',
  `
  update account.summary set last_day = $2::date where account_id = $1
`,
)
