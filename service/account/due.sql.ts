/** The day that can be summed up; changes a minute after midnight. service/app/dueWatch.ts asks for it. */
export const ENDED_DAY = "(($1::timestamptz - interval '1 minute') at time zone 'UTC')::date"
