import { statement } from '../db/index.ts'

export const setSending = statement(
  'webhooks.setSending',
  `
  update webhooks.sending set enabled = $1, reason = $2
`,
)

export const readSending = statement<{ enabled: boolean; reason: string | null }>(
  'webhooks.readSending',
  `
  select enabled, reason from webhooks.sending
`,
)

/**
 * Clients whose deliveries are overdue by a minute at $1 although their receivers take them, and those who were sent something
 * since $2. One slow receiver delays its own client alone.
 */
export const readLateness = statement<{ late: bigint; active: bigint }>(
  'webhooks.readLateness',
  `
  select count(distinct e.account_id) filter (where l.is_late) as late,
         count(distinct e.account_id) filter (where l.is_late or e.last_success_at > $2) as active
    from webhooks.endpoint e
   cross join lateral (
     select coalesce(e.last_failure_at, '-infinity') <= coalesce(e.last_success_at, '-infinity')
            and exists (select from webhooks.delivery d
                         where d.webhook_id = e.id and d.state = 'pending'
                           and d.due_at < $1::timestamptz - interval '1 minute') as is_late) l
   where e.status = 'active' and e.removed_at is null
`,
)

/** Webhooks disabled since $1, and deliveries that are overdue by a minute at $2. */
export const readPulse = statement<{ disabled: bigint; overdue: bigint }>(
  'webhooks.readPulse',
  `
  select (select count(*) from webhooks.endpoint
           where status = 'disabled' and removed_at is null and disabled_reason <> 'by its owner'
             and last_failure_at > $1) as disabled,
         (select count(*) from webhooks.delivery
           where state = 'pending' and due_at < $2::timestamptz - interval '1 minute') as overdue
`,
)
