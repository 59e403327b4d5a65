import { statement } from '../db/index.ts'

export const failPending = statement(
  'webhooks.failPending',
  `
  update webhooks.delivery set state = 'failed', error = $2 where webhook_id = $1 and state = 'pending'
`,
)

export type SubscriberRow = { id: string; account: string; types: string[] }

export const listSubscribers = statement<SubscriberRow>(
  'webhooks.listSubscribers',
  `
  select id, account_id as account, types from webhooks.endpoint
   where account_id = any ($1) and status = 'active' and removed_at is null
   order by id
`,
)

/** $4 is a jsonColumn. */
export const insertMessages = statement(
  'webhooks.insertMessages',
  `
  insert into webhooks.message (event_id, type, trace, body, created_at)
  select g.id, g.type, g.trace, g.body, $5
    from unnest($1::uuid[], $2::text[], $3::text[], string_to_array($4::text, E'\\x1e')) as g(id, type, trace, body)
  on conflict (event_id) do nothing
`,
)

export const insertDeliveries = statement(
  'webhooks.insertDeliveries',
  `
  insert into webhooks.delivery (id, webhook_id, event_id, state, due_at, created_at)
  select g.id, g.webhook, g.event, 'pending', $4, $4
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as g(id, webhook, event)
`,
)

/** In order of the ids, so that concurrent transactions do not deadlock. */
export const touchQueues = statement(
  'webhooks.touchQueues',
  `
  with locked as (
    select webhook_id from webhooks.queue where webhook_id = any ($1) order by webhook_id for update
  )
  update webhooks.queue q set due_at = least(q.due_at, $2)
    from locked l where q.webhook_id = l.webhook_id
`,
)

export type ReceiverRow = {
  id: string
  url: string
  active: boolean
  secret: Buffer
  previousSecret: Buffer | null
  previousUntil: Date | null
  failures: number
}

export const readReceivers = statement<ReceiverRow>(
  'webhooks.readReceivers',
  `
  select id, url, status = 'active' and removed_at is null as active, secret,
         previous_secret as "previousSecret", previous_until as "previousUntil", failures
    from webhooks.endpoint where id = any ($1)
`,
)

export const findEndpoint = statement<{ status: 'active' | 'disabled' }>(
  'webhooks.findEndpoint',
  `
  select status from webhooks.endpoint where account_id = $1 and id = $2 and removed_at is null
`,
)
