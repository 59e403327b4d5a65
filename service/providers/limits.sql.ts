import { statement } from '../db/index.ts'

/** Some more calls within so many a second; a second's worth may be made at once. $4: made in any case. */
export const takeCalls = statement<{ name: string }>(
  'providers.takeCalls',
  `
  update providers.provider
     set next_call_at = greatest(next_call_at, clock_timestamp()) + make_interval(secs => $3 / $2::double precision)
   where name = $1 and ($4 or next_call_at is null or next_call_at <= clock_timestamp() + interval '1 second')
  returning name
`,
)
