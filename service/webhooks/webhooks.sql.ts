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
