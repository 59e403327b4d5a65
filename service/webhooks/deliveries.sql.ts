import { idAt, statement } from '../db/index.ts'
import type { AttemptLog } from './attempt.ts'

/** Extends the message's life to that of the delivery about to be queued. */
export const keepMessage = statement(
  'webhooks.keepMessage',
  `
  update webhooks.message set created_at = greatest(created_at, $2) where event_id = $1
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
  /** Null unless it is pending. */
  nextAttemptAt: Date | null
  deliveredAt: Date | null
}

const DELIVERY = `
  d.id, d.event_id as "eventId", m.type, d.state, d.attempts, d.response_status as "responseStatus", d.error,
  d.created_at as "createdAt", d.attempted_at as "attemptedAt", d.delivered_at as "deliveredAt",
  case when d.state = 'pending' and isfinite(d.due_at) then d.due_at end as "nextAttemptAt"`

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

export type InspectedRow = DeliveryRow & { body: string; log: AttemptLog[] | null }

export const inspectDelivery = statement<InspectedRow>(
  'webhooks.inspectDelivery',
  `
  select ${DELIVERY}, m.body, d.log
    from webhooks.delivery d join webhooks.message m on m.event_id = d.event_id
   where d.webhook_id = $1 and d.id = $2
`,
)

export type EventDeliveryRow = DeliveryRow & { webhook: string; url: string }

/** Deliveries of events; queued from a time on, by their ids, which begin with it. */
export const listOfEvents = statement<EventDeliveryRow>(
  'webhooks.listOfEvents',
  `
  select ${DELIVERY}, e.name as webhook, e.url
    from webhooks.endpoint e
    join webhooks.delivery d on d.webhook_id = e.id
    join webhooks.message m on m.event_id = d.event_id
   where e.account_id = $1 and d.event_id = any ($2::uuid[]) and d.id >= ${idAt('$3::timestamptz')}
   order by d.id
   limit 100
`,
)
