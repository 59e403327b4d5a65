import { statement } from '../db/index.ts'

/** Takes or renews the lease; returns no row when another process holds it. */
export const claimLease = statement<{ app: string }>(
  'chat.claimLease',
  `
  insert into chat.lease as l (app, owner, lease_until)
  values ($1, $2, clock_timestamp() + make_interval(secs => $3))
  on conflict (app) do update set owner = excluded.owner, lease_until = excluded.lease_until
   where l.owner = excluded.owner or l.lease_until <= clock_timestamp()
  returning app
`,
)

export const releaseLease = statement(
  'chat.releaseLease',
  `
  update chat.lease set owner = null, lease_until = '-infinity' where app = $1 and owner = $2
`,
)
