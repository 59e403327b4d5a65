import { idAt, statement } from '../db/index.ts'

/**
 * Deliveries of the webhooks after $3, oldest first; of a removed webhook all. By the key, because an index
 * by age would be written twice with every delivery.
 */
export const pruneDeliveries = statement<{ rows: bigint; next: string | null }>(
  'webhooks.pruneDeliveries',
  `
  with slice as materialized (
    select e.id, e.removed_at is not null as is_removed from webhooks.endpoint e where e.id > $3::uuid order by e.id limit 1000
  ), gone as (
    delete from webhooks.delivery d
     using (select o.webhook_id, o.id
              from slice s
             cross join lateral (
                    select w.webhook_id, w.id from webhooks.delivery w
                     where w.webhook_id = s.id
                       and w.id < case when s.is_removed then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else ${idAt('$1::timestamptz')} end
                     order by w.id limit $2) o
             limit $2) o
     where d.webhook_id = o.webhook_id and d.id = o.id
    returning d.id
  )
  select (select count(*) from gone) as rows,
         (select s.id::text from slice s order by s.id offset 999) as next
`,
)

/** By the ids of their events. One that was sent again has a later created_at than its id says. */
export const pruneMessages = statement<{ rows: bigint }>(
  'webhooks.pruneMessages',
  `
  with gone as (
    delete from webhooks.message
     where event_id = any (array(
             select m.event_id from webhooks.message m
              where m.event_id < ${idAt('$1::timestamptz')} and m.created_at < $1 order by m.event_id limit $2))
    returning event_id
  )
  select count(*) as rows from gone
`,
)

export const pruneEndpoints = statement<{ rows: bigint }>(
  'webhooks.pruneEndpoints',
  `
  with gone as (
    delete from webhooks.endpoint
     where id = any (array(
             select e.id from webhooks.endpoint e
              where e.removed_at < $1 and not exists (select from webhooks.delivery d where d.webhook_id = e.id)
              order by e.id limit $2))
    returning id
  ), queues as (
    delete from webhooks.queue q using gone g where q.webhook_id = g.id
  )
  select count(*) as rows from gone
`,
)

/** By their ids, which begin with their time. A replay that runs for so long is stuck, and gone. */
export const pruneReplays = statement<{ rows: bigint }>(
  'webhooks.pruneReplays',
  `
  with gone as (
    delete from webhooks.replay
     where id = any (array(
             select r.id from webhooks.replay r where r.id < ${idAt('$1::timestamptz')} order by r.id limit $2))
    returning id
  )
  select count(*) as rows from gone
`,
)
