import { statement } from '../db/index.ts'

export const pruneDeliveries = statement<{ id: string }>(
  'webhooks.pruneDeliveries',
  `
  delete from webhooks.delivery d
   using (select webhook_id, id from webhooks.delivery where created_at < $1 limit $2) o
   where d.webhook_id = o.webhook_id and d.id = o.id
  returning d.id
`,
)

/** Only when no older delivery is left. */
export const pruneMessages = statement<{ id: string }>(
  'webhooks.pruneMessages',
  `
  delete from webhooks.message
   where event_id = any (array(
           select m.event_id from webhooks.message m where m.created_at < $1 limit $2))
  returning event_id as id
`,
)

/** Deliveries of removed webhooks. */
export const pruneRemoved = statement<{ id: string }>(
  'webhooks.pruneRemoved',
  `
  delete from webhooks.delivery d
   using (select o.webhook_id, o.id from webhooks.endpoint e join webhooks.delivery o on o.webhook_id = e.id
           where e.removed_at is not null limit $1) o
   where d.webhook_id = o.webhook_id and d.id = o.id
  returning d.id
`,
)

export const pruneEndpoints = statement(
  'webhooks.pruneEndpoints',
  `
  with gone as (
    delete from webhooks.endpoint e
     where e.removed_at is not null and not exists (select from webhooks.delivery d where d.webhook_id = e.id)
    returning e.id
  )
  delete from webhooks.queue q using gone g where q.webhook_id = g.id
`,
)

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
  deliveredAt: Date | null
}

const DELIVERY = `
  d.id, d.event_id as "eventId", m.type, d.state, d.attempts, d.response_status as "responseStatus", d.error,
  d.created_at as "createdAt", d.attempted_at as "attemptedAt", d.delivered_at as "deliveredAt"`

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
