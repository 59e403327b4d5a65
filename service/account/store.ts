import { statement } from '../db/index.ts'

/** Summaries begin with the day on which they were requested. */
export const beginSummaries = statement(
  'account.beginSummaries',
  `
  insert into account.summary (account_id, last_day)
  select i.account_id, (i.since at time zone 'UTC')::date - 1 from events.interested('account.daily_summary') i
  on conflict (account_id) do nothing
`,
)

/** Ends summaries; the days until the next request are not made up. */
export const endSummaries = statement(
  'account.endSummaries',
  `
  delete from account.summary s
   where not exists (select from events.interested('account.daily_summary') i where i.account_id = s.account_id)
`,
)

/** The next day to summarise of accounts that have not reached the given day. */
export const lockDueSummaries = statement<{ account: string; day: string }>(
  'account.lockDueSummaries',
  `
  select account_id as account, (last_day + 1)::text as day
    from account.summary
   where last_day < $1::date and account_id <> all ($3::uuid[])
   order by account_id
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
