import { statement } from '../db/index.ts'

/** Leases go by the database's clock, what is due by business time. */
export const claimQueues = statement<{ id: string }>(
  'webhooks.claimQueues',
  `
  update webhooks.queue
     set owner = $1, lease_until = clock_timestamp() + make_interval(secs => $2)
   where webhook_id = any (array(
           select q.webhook_id from webhooks.queue q
            where q.due_at <= $4 and q.lease_until <= clock_timestamp()
              and (select enabled from webhooks.sending)
            order by q.due_at limit $3 for update skip locked))
  returning webhook_id as id
`,
)

export const renewQueues = statement<{ id: string }>(
  'webhooks.renewQueues',
  `
  update webhooks.queue set lease_until = clock_timestamp() + make_interval(secs => $2)
   where owner = $1 and webhook_id = any ($3)
  returning webhook_id as id
`,
)

export const lockQueues = statement<{ id: string }>(
  'webhooks.lockQueues',
  `
  select webhook_id as id from webhooks.queue where owner = $1 and webhook_id = any ($2)
   order by webhook_id for update
`,
)

/** A separate statement after the lock, so that it sees deliveries committed during the wait. */
export const releaseQueues = statement(
  'webhooks.releaseQueues',
  `
  update webhooks.queue q
     set owner = null, lease_until = '-infinity',
         due_at = coalesce((select min(d.due_at) from webhooks.delivery d
                             where d.webhook_id = q.webhook_id and d.state = 'pending'), 'infinity')
   where q.webhook_id = any ($1)
`,
)

export type DueRow = {
  id: string
  webhook: string
  attempts: number
  type: string
  body: string
  trace: string
}

/** At most so many of each queue, without those that the caller already has. */
export const readDue = statement<DueRow>(
  'webhooks.readDue',
  `
  select id, webhook_id as webhook, attempts, type, body, trace
    from webhooks.read_due($1, $2, $3, $4)
   order by webhook_id, due_at, id
`,
)
