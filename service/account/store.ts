import { statement } from '../db/index.ts'

/** Summaries begin with the day on which somebody asked for them. */
export const beginSummaries = statement(
  'account.beginSummaries',
  `
  insert into account.summary (account_id, last_day)
  select i.account_id, (i.since at time zone 'UTC')::date - 1 from events.interested('account.daily_summary') i
  on conflict (account_id) do nothing
`,
)

/** Whoever asks again later is not told of the days between. */
export const endSummaries = statement(
  'account.endSummaries',
  `
  delete from account.summary s
   where not exists (select from events.interested('account.daily_summary') i where i.account_id = s.account_id)
`,
)

/** The next day to sum up, of accounts that are not at the given day yet. */
export const lockDueSummaries = statement<{ account: string; day: string }>(
  'account.lockDueSummaries',
  `
  select account_id as account, (last_day + 1)::text as day
    from account.summary
   where last_day < $1::date
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
