import { statement } from '../db/index.ts'

export type ReplayRow = {
  id: string
  webhook: string
  from: Date
  to: Date
  types: string[]
  state: 'running' | 'done' | 'stopped'
  events: number
  queued: number
  createdAt: Date
}

const REPLAY = `
  id, webhook_id as webhook, from_at as "from", to_at as "to", types, state, events, queued, created_at as "createdAt"`

/** Nothing is returned while another replay of the webhook runs. */
export const startReplay = statement<ReplayRow>(
  'webhooks.startReplay',
  `
  insert into webhooks.replay (id, webhook_id, from_at, to_at, types, state, events, next_at, created_at)
  values ($1, $2, $3, $4, $5, 'running', 0, $6, $6)
  on conflict (webhook_id) where state = 'running' do nothing
  returning ${REPLAY}
`,
)

export const insertReplayEvents = statement(
  'webhooks.insertReplayEvents',
  `
  insert into webhooks.replay_event (replay_id, place, event_id, event_created_at)
  select $1, g.place, g.id, g.at from unnest($2::uuid[], $3::timestamptz[]) with ordinality as g(id, at, place)
`,
)

/** Ends it at once where there is nothing to send. */
export const countReplay = statement<ReplayRow>(
  'webhooks.countReplay',
  `
  update webhooks.replay set events = $2::integer, state = case when $2::integer = 0 then 'done' else 'running' end
   where id = $1
  returning ${REPLAY}
`,
)

export type DueReplayRow = {
  id: string
  webhook: string
  isActive: boolean
  /** The last one that was queued has not been attempted yet. */
  isWaiting: boolean
}

export const lockDueReplays = statement<DueReplayRow>(
  'webhooks.lockDueReplays',
  `
  select r.id, r.webhook_id as webhook,
         exists (select from webhooks.endpoint e
                  where e.id = r.webhook_id and e.status = 'active' and e.removed_at is null) as "isActive",
         exists (select from webhooks.delivery d
                  where d.webhook_id = r.webhook_id and d.id = r.last_delivery
                    and d.state = 'pending' and d.attempts = 0) as "isWaiting"
    from webhooks.replay r
   where r.state = 'running' and r.next_at <= $1 and r.id <> all ($3::uuid[])
   order by r.next_at
   limit $2
     for update of r skip locked
`,
)

export const takeReplayEvent = statement<{ id: string; at: Date }>(
  'webhooks.takeReplayEvent',
  `
  delete from webhooks.replay_event v
   where v.replay_id = $1
     and v.place = (select w.place from webhooks.replay_event w where w.replay_id = $1 order by w.place limit 1)
  returning v.event_id as id, v.event_created_at as at
`,
)

export const moveReplay = statement(
  'webhooks.moveReplay',
  `
  update webhooks.replay
     set next_at = $2, last_delivery = coalesce($3, last_delivery),
         queued = queued + case when $3::uuid is null then 0 else 1 end
   where id = $1
`,
)

export const endReplay = statement(
  'webhooks.endReplay',
  `
  with dropped as (delete from webhooks.replay_event where replay_id = $1)
  update webhooks.replay set state = $2 where id = $1
`,
)
