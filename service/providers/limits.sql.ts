import { statement } from '../db/index.ts'

/** Takes calls from the rate limit; bursts of one second are allowed. $4: counted without waiting. */
export const takeCalls = statement<{ name: string }>(
  'providers.takeCalls',
  `
  update providers.provider
     set next_call_at = greatest(next_call_at, clock_timestamp()) + make_interval(secs => $3 / $2::double precision)
   where name = $1 and ($4 or next_call_at is null or next_call_at <= clock_timestamp() + interval '1 second')
  returning name
`,
)
