import { statement } from '../../db/index.ts'

export const pruneDeliveries = statement<{ id: string }>(
  'webhooks.pruneDeliveries',
  `
  delete from webhooks.delivery
   where id = any (array(
           select d.id from webhooks.delivery d where d.created_at < $1 order by d.created_at limit $2))
  returning id
`,
)

export const pruneMessages = statement<{ id: string }>(
  'webhooks.pruneMessages',
  `
  delete from webhooks.message
   where event_id = any (array(
           select m.event_id from webhooks.message m
            where m.created_at < $1
              and not exists (select from webhooks.delivery d where d.event_id = m.event_id)
            order by m.created_at limit $2))
  returning event_id as id
`,
)

/** Deliveries of removed webhooks. */
export const pruneRemoved = statement<{ id: string }>(
  'webhooks.pruneRemoved',
  `
  delete from webhooks.delivery
   where id = any (array(
           select d.id from webhooks.endpoint e join webhooks.delivery d on d.webhook_id = e.id
            where e.removed_at is not null limit $1))
  returning id
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
