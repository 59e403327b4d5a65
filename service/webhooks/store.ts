import { statement } from '../db/index.ts'

export type EndpointRow = {
  id: string
  name: string
  url: string
  types: string[]
  status: 'active' | 'disabled'
  disabledReason: string | null
  createdAt: Date
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
}

const ENDPOINT = `
  id, name, url, types, status, disabled_reason as "disabledReason", created_at as "createdAt",
  last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt"`

/** Serialises changes to one account's webhooks; later statements see earlier commits. */
export const lockOwner = statement(
  'webhooks.lockOwner',
  `
  insert into webhooks.owner (account_id) values ($1)
  on conflict (account_id) do update set account_id = excluded.account_id
`,
)

export const listEndpoints = statement<EndpointRow>(
  'webhooks.listEndpoints',
  `
  select ${ENDPOINT} from webhooks.endpoint where account_id = $1 and removed_at is null order by id desc
`,
)

export const insertEndpoint = statement<EndpointRow>(
  'webhooks.insertEndpoint',
  `
  insert into webhooks.endpoint (id, account_id, name, url, types, status, secret, created_at)
  values ($1, $2, $3, $4, $5, 'active', $6, $7)
  returning ${ENDPOINT}
`,
)

export const insertQueue = statement(
  'webhooks.insertQueue',
  `
  insert into webhooks.queue (webhook_id) values ($1)
`,
)

export const lockEndpoint = statement<EndpointRow>(
  'webhooks.lockEndpoint',
  `
  select ${ENDPOINT} from webhooks.endpoint
   where account_id = $1 and id = $2 and removed_at is null
     for update
`,
)

/** Enabling a webhook or changing its URL resets its failures. */
export const changeEndpoint = statement<EndpointRow>(
  'webhooks.changeEndpoint',
  `
  update webhooks.endpoint
     set name = $2, url = $3, types = $4, status = $5, disabled_reason = $6,
         failures = case when (status, url) = ($5, $3) then failures else 0 end,
         failing_since = case when (status, url) = ($5, $3) then failing_since end
   where id = $1
  returning ${ENDPOINT}
`,
)

export const removeEndpoint = statement<{ id: string }>(
  'webhooks.removeEndpoint',
  `
  update webhooks.endpoint set removed_at = $3, secret = '', previous_secret = null
   where account_id = $1 and id = $2 and removed_at is null
  returning id
`,
)

export const rotateSecret = statement<EndpointRow>(
  'webhooks.rotateSecret',
  `
  update webhooks.endpoint
     set previous_secret = case when $3::timestamptz is not null then secret end, previous_until = $3, secret = $2
   where id = $1
  returning ${ENDPOINT}
`,
)

export const failPending = statement(
  'webhooks.failPending',
  `
  update webhooks.delivery set state = 'failed', error = $2 where webhook_id = $1 and state = 'pending'
`,
)

export const findOwner = statement<{ account: string }>(
  'webhooks.findOwner',
  `
  select account_id as account from webhooks.endpoint where id = $1
`,
)

export const disableEndpoint = statement<{ name: string }>(
  'webhooks.disableEndpoint',
  `
  update webhooks.endpoint set status = 'disabled', disabled_reason = $2
   where id = $1 and status = 'active' and removed_at is null
  returning name
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
  select g.id, g.webhook, g.event, 'pending', clock_timestamp(), $4
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as g(id, webhook, event)
`,
)

/** Extends the message's life to that of the delivery about to be queued. */
export const keepMessage = statement(
  'webhooks.keepMessage',
  `
  update webhooks.message set created_at = greatest(created_at, $2) where event_id = $1
`,
)

/** In order of the ids, so that concurrent transactions do not deadlock. */
export const touchQueues = statement(
  'webhooks.touchQueues',
  `
  with locked as (
    select webhook_id from webhooks.queue where webhook_id = any ($1) order by webhook_id for update
  )
  update webhooks.queue q set due_at = least(q.due_at, clock_timestamp())
    from locked l where q.webhook_id = l.webhook_id
`,
)

export const claimQueues = statement<{ id: string }>(
  'webhooks.claimQueues',
  `
  update webhooks.queue
     set owner = $1, lease_until = clock_timestamp() + make_interval(secs => $2)
   where webhook_id = any (array(
           select q.webhook_id from webhooks.queue q
            where q.due_at <= clock_timestamp() and q.lease_until <= clock_timestamp()
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
    from webhooks.read_due($1, $2, $3)
   order by webhook_id, due_at, id
`,
)

export type RecordedRow = { id: string; failures: number; isLong: boolean }

/** Records outcomes of attempts; returns the webhooks that changed. */
export const recordAttempts = statement<RecordedRow>(
  'webhooks.recordAttempts',
  `
  select id, failures, is_long as "isLong" from webhooks.record_attempts($1, $2, $3, $4, $5, $6, $7, $8)
`,
)

export type DeliveryRow = {
  id: string
  eventId: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  attempts: number
  responseStatus: number | null
  error: string | null
  createdAt: Date
  attemptedAt: Date | null
  deliveredAt: Date | null
}

const DELIVERY = `
  d.id, d.event_id as "eventId", m.type, d.state, d.attempts, d.response_status as "responseStatus", d.error,
  d.created_at as "createdAt", d.attempted_at as "attemptedAt", d.delivered_at as "deliveredAt"`

export const findEndpoint = statement<{ status: 'active' | 'disabled' }>(
  'webhooks.findEndpoint',
  `
  select status from webhooks.endpoint where account_id = $1 and id = $2 and removed_at is null
`,
)

export const listDeliveries = statement<DeliveryRow>(
  'webhooks.listDeliveries',
  `
  select ${DELIVERY}
    from webhooks.delivery d join webhooks.message m on m.event_id = d.event_id
   where d.webhook_id = $1
   order by d.id desc
   limit $2 offset $3
`,
)

export const findDelivery = statement<DeliveryRow>(
  'webhooks.findDelivery',
  `
  select ${DELIVERY}
    from webhooks.delivery d join webhooks.message m on m.event_id = d.event_id
   where d.webhook_id = $1 and d.id = $2
`,
)

/** A test is sent once by the process that got the request, so it has no queue. */
export const insertTest = statement(
  'webhooks.insertTest',
  `
  insert into webhooks.delivery (id, webhook_id, event_id, state, error, due_at, created_at)
  values ($1, $2, $3, 'failed', 'not_attempted', clock_timestamp(), $4)
`,
)

export const recordTest = statement(
  'webhooks.recordTest',
  `
  with recorded as (
    update webhooks.delivery
       set state = case when $3 then 'delivered' else 'failed' end, attempts = 1, attempted_at = $6,
           response_status = $4, error = $5, delivered_at = case when $3 then $6::timestamptz end
     where webhook_id = $2 and id = $1
  )
  update webhooks.endpoint
     set last_success_at = case when $3 then $6::timestamptz else last_success_at end,
         last_failure_at = case when $3 then last_failure_at else $6::timestamptz end
   where id = $2
`,
)

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

/** Webhooks disabled since $1, and deliveries that are overdue by a minute. */
export const readPulse = statement<{ disabled: bigint; overdue: bigint }>(
  'webhooks.readPulse',
  `
  select (select count(*) from webhooks.endpoint
           where status = 'disabled' and removed_at is null and disabled_reason <> 'by its owner'
             and last_failure_at > $1) as disabled,
         (select count(*) from webhooks.delivery
           where state = 'pending' and due_at < clock_timestamp() - interval '1 minute') as overdue
`,
)
